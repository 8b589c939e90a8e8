import { randomBytes } from "node:crypto";
import { existsSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Config } from "#server/config.ts";

/** The key for sessions and secrets at rest: as given, else made once and kept in the data folder. */
export function appSecret(config: Config): string {
  if (config.appSecret) return config.appSecret;
  const file = join(config.dataDir, "app-secret");
  if (!existsSync(file)) putAside(file, randomBytes(32).toString("base64url"))();
  return readFileSync(file, "utf8").trim();
}

/**
 * Make ready to keep another secret. Answers what puts it into its place, and says whether there
 * was one: where the environment gives the secret, the operator sets it.
 */
export function replaceAppSecret(config: Config, secret: string): () => boolean {
  if (config.appSecret) return () => false;
  const keep = putAside(join(config.dataDir, "app-secret"), secret);
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
