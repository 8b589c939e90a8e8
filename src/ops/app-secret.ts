import { randomBytes } from "node:crypto";
import { existsSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Config } from "#ops/config.ts";

type Where = Pick<Config, "appSecret" | "dataDir">;

const fileIn = ({ dataDir }: Where) => join(dataDir, "app-secret");

/** The key for sessions and secrets at rest: as given, else made once and kept in the data folder. */
export function appSecret(config: Where): string {
  if (config.appSecret) return config.appSecret;
  const file = fileIn(config);
  if (!existsSync(file)) putAside(file, randomBytes(32).toString("base64url"))();
  return readFileSync(file, "utf8").trim();
}

/** Whether there is one already. */
export function isSecretKept(config: Where): boolean {
  return config.appSecret !== null || existsSync(fileIn(config));
}

/**
 * Make ready to keep another secret. Answers what puts it into its place, and says whether there
 * was one: where the environment gives the secret, the operator sets it.
 */
export function replaceAppSecret(config: Where, secret: string): () => boolean {
  if (config.appSecret) return () => false;
  const keep = putAside(fileIn(config), secret);
  return () => {
    keep();
    return true;
  };
}

/** On disk before it is relied on; in its place by one step. */
function putAside(file: string, secret: string): () => void {
  const aside = `${file}.${process.pid}`;
  writeFileSync(aside, `${secret}\n`, { mode: 0o600, flush: true });
  return () => renameSync(aside, file);
}
