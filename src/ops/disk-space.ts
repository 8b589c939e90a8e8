import { statfs } from "node:fs/promises";
import { setTimeout as sleep } from "node:timers/promises";

export interface DiskSpace {
  /** What our user may still fill. */
  freeBytes: number;
  sizeBytes: number;
}

const cacheMs = 10_000;
/** A network file system that is away answers nothing at all. */
const timeoutMs = 3_000;

/** The space of the disk that a folder is on, read at most every ten seconds; null when it cannot be told. */
export function watchDiskSpace(folder: string): () => Promise<DiskSpace | null> {
  let known: DiskSpace | null = null;
  let readAt = Number.NEGATIVE_INFINITY;
  let reading: Promise<void> | null = null;

  async function read(): Promise<void> {
    try {
      const { bavail, blocks, bsize } = await statfs(folder);
      known = { freeBytes: bavail * bsize, sizeBytes: blocks * bsize };
    } catch {
      known = null; // data_dir_usable and the log say what is wrong with the folder
    } finally {
      readAt = performance.now();
      reading = null;
    }
  }

  return async () => {
    if (performance.now() - readAt < cacheMs) return known;
    reading ??= read();
    const late = sleep(timeoutMs, "late", { ref: false });
    return (await Promise.race([reading, late])) === "late" ? null : known;
  };
}
