import { type ChildProcess, spawn } from "node:child_process";
import {
  closeSync,
  fstatSync,
  openSync,
  readdirSync,
  readFileSync,
  readSync,
  renameSync,
  rmSync,
  statSync,
} from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { Account } from "#kit/db/embedded-postgres/account.ts";
import { StartupProblem } from "#kit/ops/startup-problem.ts";

/** A PostgreSQL process on this data folder, in any state; `ready` accepts connections. */
export interface RunningPostgres {
  pid: number;
  port: number;
  state: "starting" | "ready" | "stopping";
}

const startLimitMs = 5 * 60_000; // recovery after a crash may have much to replay
const maxLogBytes = 10 * 1024 * 1024;

/**
 * The PostgreSQL running on `folder`, or null: then no process uses the folder and no pid file is left in it.
 *
 * After a crash a pid file proves nothing: the number may belong to another program or a zombie. So the process
 * must have `folder` as its working directory.
 */
export async function findPostgres(folder: string): Promise<RunningPostgres | null> {
  const recorded = readPidFile(folder);
  const alive = processesIn(folder, recorded?.pid);
  if (recorded && alive.includes(recorded.pid)) return recorded;
  // The children of a killed postmaster outlive it briefly, or until their query ends. Until they are gone, nothing
  // else may touch the files.
  for (const pid of alive) signal(pid, "SIGQUIT");
  const deadline = performance.now() + 10_000;
  while (processesIn(folder).length > 0) {
    if (performance.now() > deadline) for (const pid of processesIn(folder)) signal(pid, "SIGKILL");
    await sleep(20);
  }
  rmSync(join(folder, "postmaster.pid"), { force: true });
  return null;
}

/** The PostgreSQL that wrote the pid file in `folder`, if it is alive. Faster than `findPostgres`, and ends nothing. */
export function findRecorded(folder: string): RunningPostgres | null {
  const recorded = readPidFile(folder);
  if (!recorded) return null;
  const isAlive =
    process.platform === "linux"
      ? isPostgresIn(statSync(folder), recorded.pid)
      : signal(recorded.pid, 0);
  return isAlive ? recorded : null;
}

/**
 * Start PostgreSQL on `folder`, on `port` or any free loopback port, detached: it outlives this process until
 * stopped.
 *
 * `logFile` takes its output. Throws a StartupProblem with PostgreSQL's own reason.
 */
export async function startPostgres(options: {
  postgres: string;
  folder: string;
  account: Account;
  settings: Record<string, string>;
  logFile: string;
  port?: number;
}): Promise<RunningPostgres> {
  for (let attempt = 1; ; attempt++) {
    const started = await attemptStart(options, options.port ?? (await freePort()));
    if (typeof started !== "string") return started;
    // Another program can take a free port before it is used.
    const portTaken = /could not bind|address already in use/i.test(started);
    if (portTaken && attempt < 5) continue;
    throw new StartupProblem(
      `PostgreSQL could not start: ${started.replace(/\.$/, "")} (its log is ${options.logFile}).`,
    );
  }
}

/** Stop PostgreSQL and wait until it is gone. Open transactions are rolled back; nothing committed is lost. */
export async function stopPostgres(folder: string, { pid }: RunningPostgres): Promise<void> {
  for (const [name, timeoutMs] of [
    ["SIGINT", 30_000],
    ["SIGQUIT", 5_000],
    ["SIGKILL", 5_000],
  ] as const) {
    signal(pid, name);
    const deadline = performance.now() + timeoutMs;
    while (performance.now() < deadline) {
      if (!processesIn(folder, pid).includes(pid)) return;
      await sleep(10);
    }
  }
}

/** Wait for a PostgreSQL that is starting or stopping. Null: it is gone. */
export async function waitUntilSettled(folder: string): Promise<RunningPostgres | null> {
  const deadline = performance.now() + startLimitMs;
  for (;;) {
    const found = await findPostgres(folder);
    if (found === null || found.state === "ready") return found;
    if (performance.now() > deadline) {
      throw new StartupProblem(
        `The database in ${folder} (process ${found.pid}) has been ${found.state} for five minutes. Look at postgres.log beside it.`,
      );
    }
    await sleep(25);
  }
}

/**
 * The path by which a program run as `account` opens its data folder. Under root, the folder may be below one that
 * `account` cannot enter, but a process that root starts inside it can still open its working directory.
 */
export function pathForAccount(folder: string, account: Account): string {
  return account !== null && process.platform === "linux" ? "/proc/self/cwd" : folder;
}

/** PGPORT, PGOPTIONS and so on are meant for the operator's own databases. */
export function cleanEnvironment(): NodeJS.ProcessEnv {
  return { PATH: process.env["PATH"], LC_ALL: "C", TZ: "UTC" };
}

async function attemptStart(
  { postgres, folder, account, settings, logFile }: Parameters<typeof startPostgres>[0],
  port: number,
): Promise<RunningPostgres | string> {
  if ((statSync(logFile, { throwIfNoEntry: false })?.size ?? 0) > maxLogBytes) {
    renameSync(logFile, `${logFile}.1`);
  }
  const log = openSync(logFile, "a", 0o600);
  const logStart = fstatSync(log).size;
  const fixed = { listen_addresses: "127.0.0.1", unix_socket_directories: "", port: String(port) };
  const flags = Object.entries({ ...settings, ...fixed }).flatMap(([name, value]) => [
    "-c",
    `${name}=${value}`,
  ]);
  const child = spawn(postgres, ["-D", pathForAccount(folder, account), ...flags], {
    cwd: folder,
    ...(account && { uid: account.uid, gid: account.gid }),
    env: cleanEnvironment(),
    stdio: ["ignore", log, log],
    detached: true, // Ctrl-C in the terminal is for us; the database stops after its last user
  });
  closeSync(log);
  child.unref();
  const problem = await readyOrProblem(child, folder);
  if (problem === null) return { pid: child.pid ?? 0, port, state: "ready" };
  return problem || reasonIn(logFile, logStart);
}

/** Null if ready; otherwise why not, or "" if only its log knows. */
async function readyOrProblem(child: ChildProcess, folder: string): Promise<string | null> {
  let ended: string | null = null;
  child.once("error", (error) => (ended = error.message));
  child.once("exit", () => (ended ??= ""));
  const deadline = performance.now() + startLimitMs;
  while (performance.now() < deadline) {
    if (ended !== null) return ended;
    const recorded = readPidFile(folder);
    if (recorded?.pid === child.pid && recorded?.state === "ready") return null;
    await sleep(10);
  }
  child.kill("SIGQUIT");
  return "it was not ready within five minutes";
}

function reasonIn(logFile: string, from: number): string {
  const file = openSync(logFile, "r");
  try {
    const text = Buffer.alloc(Math.min(fstatSync(file).size - from, 64 * 1024));
    readSync(file, text, 0, text.length, from);
    const lines = text.toString("utf8").trim().split("\n");
    const fatal = lines.findLast((line) => /(FATAL|PANIC):/.test(line)) ?? lines.at(-1) ?? "";
    const warning = lines.find((line) => /could not bind/.test(line));
    return (
      (warning ?? fatal).replace(/^.*?(FATAL|PANIC|LOG|WARNING):\s*/, "") || "it gave no reason"
    );
  } finally {
    closeSync(file);
  }
}

/** PostgreSQL writes its process id on line 1, its port on line 4, its state on line 8. */
function readPidFile(folder: string): RunningPostgres | null {
  let lines: string[];
  try {
    lines = readFileSync(join(folder, "postmaster.pid"), "utf8").split("\n");
  } catch {
    return null; // missing, or just being removed
  }
  const [pid, port] = [Number(lines[0]), Number(lines[3])];
  if (!Number.isInteger(pid) || pid <= 1) return null;
  const word = lines[7]?.trim();
  return { pid, port, state: word === "ready" || word === "stopping" ? word : "starting" };
}

/** PostgreSQL processes whose working directory is `folder`. Without /proc (macOS), `candidate` if it is alive. */
function processesIn(folder: string, candidate?: number): number[] {
  if (process.platform !== "linux") return candidate && signal(candidate, 0) ? [candidate] : [];
  const stats = statSync(folder);
  return readdirSync("/proc")
    .map(Number)
    .filter((pid) => pid > 1 && isPostgresIn(stats, pid));
}

function isPostgresIn(stats: { dev: number; ino: number }, pid: number): boolean {
  try {
    if (readFileSync(`/proc/${pid}/comm`, "utf8").trim() !== "postgres") return false;
    const { dev, ino } = statSync(`/proc/${pid}/cwd`);
    return dev === stats.dev && ino === stats.ino;
  } catch {
    return false; // just gone, a zombie, or another user's
  }
}

function signal(pid: number, name: NodeJS.Signals | 0): boolean {
  try {
    return process.kill(pid, name);
  } catch {
    return false;
  }
}

async function freePort(): Promise<number> {
  const probe = createServer();
  await new Promise<void>((resolve, reject) => {
    probe.once("error", reject).listen(0, "127.0.0.1", resolve);
  });
  const address = probe.address();
  await new Promise((resolve) => probe.close(resolve));
  if (address === null || typeof address === "string") throw new Error("a TCP server has a port");
  return address.port;
}
