import { type ChildProcess, spawn } from "node:child_process";
import { join } from "node:path";
import { vi } from "vitest";
import { freePort, projectFolder } from "#tests/support/launched.ts";
import type { RunningApp } from "#tests/support/running-app.ts";

export interface ServerProcess {
  child: ChildProcess;
  port: number;
}

/** A process of the product, as deployed, on an app's database and files. */
export async function aServerProcess(
  app: RunningApp,
  roles: "web" | "worker",
): Promise<ServerProcess> {
  const port = await freePort();
  const child = spawn(process.execPath, [join(projectFolder, "dist/server/start.js")], {
    env: {
      PATH: process.env["PATH"],
      ROLES: roles,
      PORT: String(port),
      DATABASE_URL: app.connectionString,
      DATA_DIR: app.dataDir,
      APP_SECRET: app.secret,
    },
    stdio: ["ignore", "pipe", "pipe"],
  });
  child.stderr.pipe(process.stderr); // not inherited: one left over by a failed test would keep the whole run open
  await new Promise<void>((resume) =>
    child.stdout.on("data", (text) => String(text).includes("ready") && resume()),
  );
  if (roles === "web") await vi.waitUntil(() => receivesChanges(port), { timeout: 60_000 });
  return { child, port };
}

/** Whether it receives others' changes yet: a server that begins to tells everybody to refetch. */
async function receivesChanges(port: number): Promise<boolean> {
  return (await fetch(`http://127.0.0.1:${port}/readyz`)).ok;
}
