import { spawn } from "node:child_process";
import { createServer } from "node:net";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

/** The folder of this checkout, without a slash at its end. */
export const projectFolder = fileURLToPath(new URL("../..", import.meta.url)).replace(/\/$/, "");

export interface Ended {
  code: number | null;
  stdout: string;
  stderr: string;
}

export interface Launched {
  /** The process that was started: npm's, or the server's. */
  pid: number;
  /** The address it prints when ready; rejects with its output if it ends or four minutes pass first. */
  ready: Promise<string>;
  ended: Promise<Ended>;
  /** To that process only, as a supervisor does. */
  signal(name: NodeJS.Signals): void;
  /** To the whole process group, as Ctrl-C in a terminal or the out-of-memory killer does. */
  signalAll(name: NodeJS.Signals): void;
}

interface Options {
  env: Record<string, string>;
  cwd?: string;
  uid?: number;
  gid?: number;
}

/** Run an npm command of the project, such as `["start"]`, in a process group of its own. */
export function launch(command: string[], options: Options): Launched {
  return launchProgram("npm", command, options);
}

/** The command of `npm start`, where npm itself is not tested; by default in this checkout. */
export function launchServer({ program, ...options }: Options & { program?: string }): Launched {
  const start = program ?? join(projectFolder, "dist/server/start.js");
  return launchProgram(process.execPath, [start], options);
}

function launchProgram(program: string, args: string[], options: Options): Launched {
  const child = spawn(program, args, {
    cwd: options.cwd ?? projectFolder,
    env: { ...plainEnvironment(), ...options.env },
    ...(options.uid !== undefined && { uid: options.uid, gid: options.gid }),
    detached: true,
    stdio: ["ignore", "pipe", "pipe"],
  });
  let stdout = "";
  let stderr = "";
  child.stdout.setEncoding("utf8").on("data", (text: string) => (stdout += text));
  child.stderr.setEncoding("utf8").on("data", (text: string) => (stderr += text));
  const ended = new Promise<Ended>((resolve, reject) => {
    child.once("error", reject).once("close", (code) => resolve({ code, stdout, stderr }));
  });
  const pid = child.pid ?? 0;
  return {
    pid,
    ended,
    ready: readiness(child.stdout, () => stdout, ended),
    signal: (name) => process.kill(pid, name),
    signalAll: (name) => process.kill(-pid, name),
  };
}

/**
 * A port that nothing listens on, nor on the next one; below the ports of outgoing connections, of which
 * other tests open thousands before anything listens here. Test files that run at the same time get ports of
 * different ranges.
 */
export async function freePort(): Promise<number> {
  const range = Number(process.env["VITEST_POOL_ID"] ?? 0) % 8;
  const port = 12_000 + range * 2_500 + Math.floor(Math.random() * 2_499);
  const free = (await isFree(port)) && (await isFree(port + 1));
  return free ? port : await freePort();
}

function isFree(port: number): Promise<boolean> {
  const probe = createServer();
  return new Promise((resolve) => {
    probe.once("error", () => resolve(false));
    probe.listen(port, "127.0.0.1", () => probe.close(() => resolve(true)));
  });
}

function readiness(
  stdout: NodeJS.ReadableStream,
  printed: () => string,
  ended: Promise<Ended>,
): Promise<string> {
  const ready = new Promise<string>((resolve, reject) => {
    const timer = setTimeout(() => reject(new Error(`not ready in time: ${printed()}`)), 240_000);
    const look = () => {
      const address = /ready at (http:[^\s"]+)/.exec(printed())?.[1];
      if (address) resolve(address);
    };
    stdout.on("data", look);
    void ended.then(({ code, stderr }) => reject(new Error(`ended with ${code}: ${stderr}`)));
    void ended.finally(() => clearTimeout(timer)).catch(reject);
  });
  ready.catch(() => undefined); // a test that expects a refusal does not wait for readiness
  return ready;
}

/** Without what npm, vitest and the person running them have set for themselves. */
export function plainEnvironment(): Record<string, string | undefined> {
  const ours =
    /^(npm_|VITEST|NODE_|TEST$|PG|PORT$|HOST$|DATABASE_URL$|DATA_DIR$|ROLES$|APP_SECRET$|DEMO$)/;
  return Object.fromEntries(Object.entries(process.env).filter(([name]) => !ours.test(name)));
}
