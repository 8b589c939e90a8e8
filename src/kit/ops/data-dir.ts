import { existsSync, mkdirSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { tryLock } from "#kit/ops/file-lock.ts";
import { StartupProblem } from "#kit/ops/startup-problem.ts";

interface Holder {
  pid: number;
  address: string | null;
  stopping: boolean;
}

const timeoutMs = 20_000;

/**
 * Create the data folder if it is missing and answer its absolute path. Throws a StartupProblem if it cannot be
 * used.
 */
export function prepareDataDir(dataDir: string): string {
  try {
    makeFolders(resolve(dataDir));
    const folder = realpathSync(dataDir);
    const file = join(folder, `.writable-${process.pid}`);
    try {
      writeFileSync(file, Buffer.alloc(4096)); // a full disk can create an empty file, but not write a byte
    } finally {
      rmSync(file, { force: true });
    }
    return folder;
  } catch (error) {
    throw new StartupProblem(writeErrorMessage(error, dataDir), { cause: error });
  }
}

/**
 * Claim the data folder for the one server that may run on it. Release it last.
 *
 * Throws a StartupProblem naming the server that has it, and waits for one that is already stopping. `address` is
 * told to the operator of a refused second server. CLI commands need no claim.
 */
export async function claimDataDir(
  dataDir: string,
  address: string | null = null,
): Promise<() => Promise<void>> {
  const folder = prepareDataDir(dataDir);
  const holderFile = join(folder, "server.json");
  const deadline = performance.now() + timeoutMs;
  let release = tryLock(join(folder, "server.lock"), "exclusive");
  while (release === null) {
    const holder = readHolder(holderFile);
    if (!holder?.stopping || performance.now() > deadline)
      throw new StartupProblem(inUseMessage(folder, holder));
    await sleep(50);
    release = tryLock(join(folder, "server.lock"), "exclusive");
  }
  const unlock = release;
  const write = (stopping: boolean) =>
    writeFileSync(
      holderFile,
      JSON.stringify({ pid: process.pid, address, stopping } satisfies Holder),
    );
  write(false);
  const markStopping = () => write(true);
  const signals = ["SIGTERM", "SIGINT"] as const;
  for (const name of signals) process.once(name, markStopping);
  return async () => {
    for (const name of signals) process.off(name, markStopping);
    rmSync(holderFile, { force: true });
    unlock();
  };
}

/**
 * As `mkdir -p`. Node's own `recursive` does not work everywhere: under /proc it retries forever. Only the owner
 * may enter: exports and secrets are stored there.
 */
function makeFolders(path: string): void {
  if (existsSync(path)) return;
  if (!existsSync(dirname(path))) makeFolders(dirname(path));
  try {
    mkdirSync(path, { mode: 0o700 });
  } catch (error) {
    if (!existsSync(path)) throw error; // another process was faster
  }
}

function inUseMessage(folder: string, holder: Holder | null): string {
  const where = holder?.address ? ` at ${holder.address}` : "";
  const who = holder ? ` (process ${holder.pid})` : "";
  return `Referral Network is already running on ${folder}${where}${who}. Use that one, stop it, or give this one its own folder with DATA_DIR.`;
}

/** Null while the holder has the lock but has not written its note yet. */
function readHolder(holderFile: string): Holder | null {
  try {
    const holder: Holder = JSON.parse(readFileSync(holderFile, "utf8"));
    return holder;
  } catch {
    return null;
  }
}

function codeOf(error: unknown): string {
  return error instanceof Error && "code" in error ? String(error.code) : "unknown reason";
}

function writeErrorMessage(error: unknown, dataDir: string): string {
  const code = codeOf(error);
  switch (code) {
    case "ENOTDIR":
    case "EEXIST":
      return `DATA_DIR must be a folder, but ${dataDir} leads through a file. Choose another folder with DATA_DIR.`;
    case "ENOSPC":
    case "EDQUOT":
      return `No space is left for the data folder ${dataDir}. Free some space, or choose another folder with DATA_DIR.`;
    case "EROFS":
      return `The data folder ${dataDir} is on a read-only file system. Mount it for writing, or choose another folder with DATA_DIR.`;
    default:
      return `The data folder ${dataDir} cannot be written (${code}). Change its permissions, or choose another folder with DATA_DIR.`;
  }
}
