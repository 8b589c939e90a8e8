import { type ChildProcess, spawn } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import type { RunningApp } from "#tests/support/running-app.ts";

const program = fileURLToPath(new URL("./card-server.ts", import.meta.url));

/** The product as a process of its own, on the same database as a test's server. */
export interface ProductProcess {
  port: number;
  /** Its peak memory, in MiB; 0 if the system does not say. */
  maxMemory(): number;
  isRunning(): boolean;
  kill(): void;
}

/** `nodeFlags`: its memory limit, for example. */
export async function startProduct(
  app: RunningApp,
  nodeFlags: string[] = [],
): Promise<ProductProcess> {
  const child = spawn(process.execPath, [...nodeFlags, program], {
    env: {
      ...process.env,
      TEST_DATABASE: app.connectionString,
      TEST_SECRET: app.secret,
      TEST_SANDBOXES: "http://127.0.0.1:9", // no card is charged there
      TEST_DATA_DIR: app.dataDir,
    },
    stdio: ["ignore", "pipe", "pipe"],
  });
  child.stderr.pipe(process.stderr); // not inherited: one left over by a failed test would keep the whole run open
  return {
    port: await portOf(child),
    maxMemory: () => peakOf(child.pid ?? 0),
    isRunning: () => child.exitCode === null && child.signalCode === null,
    kill: () => void child.kill("SIGKILL"),
  };
}

async function portOf({ stdout }: ChildProcess): Promise<number> {
  let printed = "";
  for await (const chunk of stdout ?? []) {
    printed += String(chunk);
    const port = /port (\d+)/.exec(printed)?.[1];
    if (port) return Number(port);
  }
  throw new Error(`It did not start: ${printed}`);
}

function peakOf(pid: number): number {
  const file = `/proc/${pid}/status`;
  const status = existsSync(file) ? readFileSync(file, "utf8") : "";
  return Number(/VmHWM:\s+(\d+) kB/.exec(status)?.[1] ?? 0) / 1024;
}
