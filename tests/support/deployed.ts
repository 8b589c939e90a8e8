import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { projectFolder } from "#tests/support/launched.ts";

/** One process of the product as it is deployed: `node dist/server/start.js` with its environment. */
export interface Deployed {
  port: number;
  roles: string;
  signal(name: NodeJS.Signals): void;
  /** Its exit code, once it has ended. */
  ended: Promise<number | null>;
  /** Its messages for people. */
  stderr(): string;
}

/** Rejects with its output if it ends before it is ready. */
export async function deploy(
  port: number,
  environment: { ROLES: string } & Record<string, string>,
): Promise<Deployed> {
  const child = spawn(process.execPath, [join(projectFolder, "dist/server/start.js")], {
    env: { PATH: process.env["PATH"], PORT: String(port), LOG_LEVEL: "warn", ...environment },
    stdio: ["ignore", "pipe", "pipe"],
  });
  const ended = once(child, "exit").then(([code]: (number | null)[]) => code ?? null);
  let stderr = "";
  child.stderr.setEncoding("utf8").on("data", (text: string) => (stderr += text));
  await new Promise<void>((resolve, reject) => {
    child.stdout.on("data", (text) => String(text).includes(" ready") && resolve());
    void ended.then((code) => reject(new Error(`ended with ${code}: ${stderr}`)));
  });
  return {
    port,
    roles: environment.ROLES,
    signal: (name) => void child.kill(name),
    ended,
    stderr: () => stderr,
  };
}
