import { spawn } from "node:child_process";
import { join } from "node:path";
import { projectFolder } from "#tests/support/launched.ts";

export interface DatabaseHealth {
  /** What it answers to GET, such as `/primary`. */
  status(path: string): Promise<number>;
  stop(): void;
}

/** The health check of a database that is shipped for load balancers, on a port of its own. */
export async function databaseHealth(env: Record<string, string>): Promise<DatabaseHealth> {
  const child = spawn(process.execPath, [join(projectFolder, "deploy/database-health.mjs")], {
    env: { HEALTH_PORT: "0", ...env },
    stdio: ["ignore", "pipe", "inherit"],
  });
  for await (const chunk of child.stdout) {
    const address = /http:\S+/.exec(String(chunk))?.[0];
    if (!address) continue;
    return {
      status: async (path) => (await fetch(`${address}${path}`)).status,
      stop: () => void child.kill("SIGKILL"),
    };
  }
  throw new Error("The health check ended before it listened.");
}
