import { DatabaseSync } from "node:sqlite";
import { setTimeout as sleep } from "node:timers/promises";

type Release = () => void;
type Kind = "exclusive" | "shared";

// An open lock must never be garbage collected, whatever its owner does with the release function.
const held = new Set<DatabaseSync>();

/**
 * Lock the file at `path` (created if missing), or answer null if another process or caller has it.
 *
 * Any number may hold it shared, or one exclusively. The kernel releases the lock when the process dies, so there
 * are no stale locks and no process ids to mistake. Node has no flock(): an SQLite transaction on an empty database
 * is the portable way to the same kernel locks.
 */
export function tryLock(path: string, kind: Kind): Release | null {
  const file = new DatabaseSync(path, { timeout: 0 });
  try {
    file.exec(kind === "exclusive" ? "begin exclusive" : "begin; select 1 from sqlite_schema");
  } catch (error) {
    file.close();
    if (isBusy(error)) return null;
    throw error;
  }
  held.add(file);
  return () => {
    if (held.delete(file)) file.close();
  };
}

/** As `tryLock`, but waits. Answers null only after `timeoutMs`. */
export async function lock(path: string, kind: Kind, timeoutMs: number): Promise<Release | null> {
  const deadline = performance.now() + timeoutMs;
  for (;;) {
    const release = tryLock(path, kind);
    if (release !== null || performance.now() > deadline) return release;
    await sleep(25);
  }
}

const SQLITE_BUSY = 5;

function isBusy(error: unknown): boolean {
  return error instanceof Error && "errcode" in error && error.errcode === SQLITE_BUSY;
}
