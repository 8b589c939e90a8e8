import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { plainEnvironment, projectFolder } from "#tests/support/launched.ts";

/** A process of the product, as an operator starts it. */
export interface Running {
  name: string;
  /** Resolves when it says that it is ready; rejects with its output if it ends first. */
  ready: Promise<void>;
  /** Resolves with its exit code, or the name of the signal that ended it. */
  ended: Promise<number | string>;
  isRunning(): boolean;
  /** The end of its output. */
  lastWords(): string;
  kill(): Promise<void>;
  /** As a supervisor stops it. Resolves with its exit code. */
  stop(): Promise<number | string>;
}

export interface Start {
  name: string;
  program: "dist/server/start.js" | "src/main/cli.ts";
  args?: string[];
  env: Record<string, string>;
  /** Path of the file with the milliseconds by which its clock is ahead; read repeatedly. */
  clockFile?: string;
}

const turnedClock = fileURLToPath(new URL("turned-clock.ts", import.meta.url));
const stopPatienceMs = 60_000;

const children = new Set<ChildProcess>();

/** Nothing outlives the suite. */
export function killAll(): void {
  for (const child of children) child.kill("SIGKILL");
}
process.once("exit", killAll);

export function start({ name, program, args = [], env, clockFile }: Start): Running {
  const command = [process.execPath, program, ...args];
  if (clockFile) command.splice(1, 0, "--import", turnedClock);
  const [file = "", ...rest] = command;
  const child = spawn(file, rest, {
    cwd: projectFolder,
    env: {
      ...plainEnvironment(),
      NODE_ENV: "production",
      ...env,
      ...(clockFile && { CLOCK_FILE: clockFile }),
    },
    stdio: ["ignore", "pipe", "pipe"],
  });
  children.add(child);
  child.once("exit", () => children.delete(child));
  const printed = collect(child);
  const ended = once(child, "exit").then(([code, signal]) => (code ?? signal) as number | string);
  const ready = readiness(child, printed, ended);
  ready.catch(() => undefined); // awaiting `ready` reports it
  const isRunning = () => child.exitCode === null && child.signalCode === null;
  return {
    name,
    ready,
    ended,
    isRunning,
    lastWords: () => printed().slice(-3000),
    kill: async () => {
      child.kill("SIGKILL");
      await ended;
    },
    stop: async () => {
      child.kill("SIGTERM");
      const timer = setTimeout(() => child.kill("SIGKILL"), stopPatienceMs);
      const code = await ended;
      clearTimeout(timer);
      return code;
    },
  };
}

function collect(child: ChildProcess): () => string {
  let printed = "";
  for (const stream of [child.stdout, child.stderr]) {
    stream?.setEncoding("utf8").on("data", (text: string) => {
      printed = (printed + text).slice(-200_000);
    });
  }
  return () => printed;
}

function readiness(
  child: ChildProcess,
  printed: () => string,
  ended: Promise<number | string>,
): Promise<void> {
  return new Promise((resolve, reject) => {
    const look = () => {
      if (/ready at http|worker is ready/.test(printed())) resolve();
    };
    child.stdout?.on("data", look);
    void ended.then((code) =>
      reject(new Error(`It ended with ${code}: ${printed().slice(-2000)}`)),
    );
  });
}
