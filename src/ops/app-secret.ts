import { randomBytes } from "node:crypto";
import { existsSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Config } from "#ops/config.ts";

type SecretConfig = Pick<Config, "appSecret" | "dataDir">;

const fileIn = ({ dataDir }: SecretConfig) => join(dataDir, "app-secret");

/** The key for sessions and secrets at rest: as given, else made once and kept in the data folder. */
export function appSecret(config: SecretConfig): string {
  if (config.appSecret) return config.appSecret;
  const file = fileIn(config);
  if (!existsSync(file)) stage(file, randomBytes(32).toString("base64url"))();
  return readFileSync(file, "utf8").trim();
}

/** Whether there is one already. */
export function isSecretKept(config: SecretConfig): boolean {
  return config.appSecret !== null || existsSync(fileIn(config));
}

/**
 * Write another secret beside the present one. Answers a function that puts it in place, and returns
 * whether it did: where the environment gives the secret, the operator replaces it there.
 */
export function replaceAppSecret(config: SecretConfig, secret: string): () => boolean {
  if (config.appSecret) return () => false;
  const keep = stage(fileIn(config), secret);
  return () => {
    keep();
    return true;
  };
}

/** Write the secret beside `file`, flushed to disk. Answers what puts it in place, atomically. */
function stage(file: string, secret: string): () => void {
  const staged = `${file}.${process.pid}`;
  writeFileSync(staged, `${secret}\n`, { mode: 0o600, flush: true });
  return () => renameSync(staged, file);
}
