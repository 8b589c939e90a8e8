import { type FileHandle, mkdir, open, readdir, rename, rm, stat } from "node:fs/promises";
import { join } from "node:path";

/** The folder of all export files; processes that share a database share it. */
export function exportsFolder(dataDir: string): string {
  return join(dataDir, "exports");
}

/** Which attempt at which export a file holds: no two ever write the same one. */
export interface ExportFileName {
  networkId: number;
  id: number;
  attempt: number;
}

export function exportPath(dataDir: string, { networkId, id, attempt }: ExportFileName): string {
  return join(exportsFolder(dataDir), String(networkId), `${id}-${attempt}.csv`);
}

/** A file that is written under a temporary name and renamed once it is complete and on disk. */
export interface UnfinishedFile {
  write(bytes: Buffer): Promise<void>;
  /** Answers its size. */
  finish(): Promise<number>;
  /** Leaves what its name stands for: the file of before, or, once it is finished, itself. */
  discard(): Promise<void>;
  /** As `discard`, and a finished file goes, too. */
  remove(): Promise<void>;
}

const partSuffix = ".part";

export async function beginFile(path: string): Promise<UnfinishedFile> {
  await mkdir(join(path, ".."), { recursive: true, mode: 0o700 });
  const part = `${path}${partSuffix}`;
  const file = await open(part, "w", 0o600);
  let bytes = 0;
  let isRenamed = false;
  const discard = async () => {
    await file.close().catch(() => undefined); // it may be closed already
    await rm(part, { force: true });
  };
  return {
    write: async (piece) => {
      await writeAll(file, piece);
      bytes += piece.length;
    },
    finish: async () => {
      await file.sync();
      await file.close();
      await rename(part, path);
      isRenamed = true;
      await syncFolder(join(path, ".."));
      return bytes;
    },
    discard,
    remove: async () => {
      await discard();
      if (isRenamed) await rm(path, { force: true }); // else it is what stood there before
    },
  };
}

/** A write to a nearly full disk may be partial; the next one then fails. */
async function writeAll(file: FileHandle, piece: Buffer): Promise<void> {
  for (let done = 0; done < piece.length;) {
    const { bytesWritten } = await file.write(piece, done);
    done += bytesWritten;
  }
}

/** A rename is on disk once its folder is. */
async function syncFolder(path: string): Promise<void> {
  const folder = await open(path, "r");
  try {
    await folder.sync();
  } finally {
    await folder.close();
  }
}

export async function removeExport(dataDir: string, name: ExportFileName): Promise<void> {
  await rm(exportPath(dataDir, name), { force: true });
}

/** What earlier attempts have left of an export. A later one may be under way: this one may have hung. */
export async function removeEarlierAttempts(dataDir: string, name: ExportFileName): Promise<void> {
  const folder = join(exportPath(dataDir, name), "..");
  for (const file of await filesIn(folder)) {
    const [, id, attempt] = /^(\d+)-(\d+)\./.exec(file) ?? [];
    if (Number(id) === name.id && Number(attempt) < name.attempt)
      await rm(join(folder, file), { force: true });
  }
}

const abandonedMs = 24 * 60 * 60 * 1000;

/** Remove a network's files that nothing refers to and nobody has written to for a day. */
export async function removeAbandoned(
  dataDir: string,
  networkId: number,
  known: ExportFileName[],
): Promise<void> {
  const folder = join(exportsFolder(dataDir), String(networkId));
  const knownPaths = new Set(known.map((name) => exportPath(dataDir, name)));
  for (const file of await filesIn(folder)) {
    const path = join(folder, file);
    const found = await stat(path).catch(() => null); // another process may have removed it
    if (found && !knownPaths.has(path) && Date.now() - found.mtimeMs > abandonedMs)
      await rm(path, { force: true });
  }
}

async function filesIn(folder: string): Promise<string[]> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  return await readdir(folder);
}
