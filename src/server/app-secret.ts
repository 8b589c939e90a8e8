import { randomBytes } from "node:crypto";
import { existsSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Config } from "#server/config.ts";

/** The key for sessions and secrets at rest: as given, else made once and kept in the data folder. */
export function appSecret(config: Config): string {
  if (config.appSecret) return config.appSecret;
  const file = join(config.dataDir, "app-secret");
  if (!existsSync(file)) {
    const aside = `${file}.${process.pid}`;
    writeFileSync(aside, `${randomBytes(32).toString("base64url")}\n`, { mode: 0o600 });
    renameSync(aside, file);
  }
  return readFileSync(file, "utf8").trim();
}
