import { type ChildProcess, type ChildProcessByStdio, spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import { once } from "node:events";
import { join } from "node:path";
import { createInterface } from "node:readline";
import type { Readable } from "node:stream";
import { text } from "node:stream/consumers";
import { freePort, projectFolder } from "#tests/support/launched.ts";
import type { LongestHold } from "./loop-watch.ts";
import type { World } from "./world.ts";

/** Running servers, as functions that stop them. */
const running = new Set<() => Promise<void>>();

/** Stop all that are still running. */
export async function stopServers(): Promise<void> {
  await Promise.all([...running].map((stop) => stop()));
}

/** Run a program of the product on the bench's database. */
function start(world: World, program: string[], environment: Record<string, string> = {}) {
  const child = spawn(process.execPath, program, {
    cwd: projectFolder,
    env: {
      PATH: process.env["PATH"],
      NODE_COMPILE_CACHE: process.env["NODE_COMPILE_CACHE"],
      DATABASE_URL: world.connectionString,
      APP_SECRET: world.secret,
      DATA_DIR: world.folder,
      RATE_LIMITS: "0",
      ...environment,
    },
    stdio: ["ignore", "pipe", "pipe", "ipc"],
  }) as ChildProcessByStdio<null, Readable, Readable>; // the types do not know the fourth stdio entry
  // Show its log and progress only if it fails or refuses a call for an internal reason.
  let said = "";
  createInterface({ input: child.stderr }).on("line", (line) => {
    if (line.includes('"level":"error"')) console.error(line);
    said = `${said}${line}\n`.slice(-2000);
  });
  child.once("exit", (code) => code && console.error(said));
  return child;
}

/** Run a command of the command line. Resolves with its printed JSON and its peak memory. */
export async function runCommand(
  world: World,
  args: string[],
): Promise<{ printed: string; megabytes: number }> {
  const child = start(world, ["src/main/cli.ts", ...args, "--json"]);
  const memory = watchMemory(child);
  try {
    const [printed] = await Promise.all([text(child.stdout), once(child, "exit")]);
    if (child.exitCode !== 0) throw new Error(`${args.join(" ")} ended with ${child.exitCode}.`);
    return { printed, megabytes: memory.stop() };
  } finally {
    memory.stop();
  }
}

export interface Server {
  port: number;
  memory: () => number;
  /** How long its event loop was held since the last question, if it watches that. */
  longestHold(): Promise<LongestHold>;
  /** Peak memory during `work`, in megabytes. */
  during<Answer>(work: () => Promise<Answer>): Promise<{ answer: Answer; megabytes: number }>;
  stop(): Promise<void>;
}

interface Described {
  config: { serverFlags: string; serverEnvironment: Record<string, string> };
}

/** The Node flags of `npm start`. */
function startedWith(): { flags: string[]; environment: Record<string, string> } {
  const { config }: Described = JSON.parse(
    readFileSync(join(projectFolder, "package.json"), "utf8"),
  );
  return { flags: config.serverFlags.split(" "), environment: config.serverEnvironment };
}

/** A server process of the product, or another program that says when it is ready. */
export async function startServer(
  world: World,
  {
    program = [...startedWith().flags, "dist/server/start.js"],
    roles = "web",
    watchesLoop = false,
  }: { program?: string[]; roles?: "web" | "web,worker"; watchesLoop?: boolean } = {},
): Promise<Server> {
  const port = await freePort();
  const { environment } = startedWith();
  const watching = watchesLoop ? ["--import", "./tests/bench/loop-watch.ts"] : [];
  const child = start(world, [...watching, ...program], {
    ...environment,
    PORT: String(port),
    ROLES: roles,
  });
  const ended = once(child, "exit");
  const stop = async () => {
    child.kill("SIGTERM");
    await ended;
    running.delete(stop);
  };
  running.add(stop);
  await new Promise<void>((resolve, reject) => {
    child.stdout.on("data", (printed) => String(printed).includes("ready") && resolve());
    child.once("exit", (code) => reject(new Error(`${program.join(" ")} ended with ${code}.`)));
  });
  return {
    port,
    memory: () => residentMegabytes(child),
    longestHold: async () => {
      const answered = once(child, "message");
      child.send("How long?");
      const [longest]: LongestHold[] = await answered;
      if (!longest) throw new Error("The server does not watch its event loop.");
      return longest;
    },
    during: async (work) => {
      const memory = watchMemory(child);
      try {
        const answer = await work();
        return { answer, megabytes: memory.stop() };
      } finally {
        memory.stop();
      }
    },
    stop,
  };
}

function watchMemory(child: ChildProcess): { stop(): number } {
  let greatest = residentMegabytes(child);
  const timer = setInterval(() => (greatest = Math.max(greatest, residentMegabytes(child))), 50);
  return {
    stop: () => {
      clearInterval(timer);
      return greatest;
    },
  };
}

/** Resident memory of the process now; 0 if the system does not say or the process has ended. */
function residentMegabytes(child: ChildProcess): number {
  try {
    const status = readFileSync(`/proc/${child.pid}/status`, "utf8");
    return (Number(/^VmRSS:\s+(\d+) kB/m.exec(status)?.[1] ?? 0) * 1024) / 1e6;
  } catch {
    return 0;
  }
}
