import { randomBytes } from "node:crypto";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { Config } from "#kit/ops/config.ts";
import { stageFile } from "#kit/ops/stage-file.ts";

type SecretConfig = Pick<Config, "appSecret" | "dataDir">;

const fileIn = ({ dataDir }: SecretConfig) => join(dataDir, "app-secret");

/** The key for sessions and stored secrets: as given, or made once and stored in the data folder. */
export function appSecret(config: SecretConfig): string {
  if (config.appSecret) return config.appSecret;
  const file = fileIn(config);
  if (!existsSync(file)) stageFile(file, `${randomBytes(32).toString("base64url")}\n`)();
  return readFileSync(file, "utf8").trim();
}

/** Whether a secret already exists. */
export function isSecretKept(config: SecretConfig): boolean {
  return config.appSecret !== null || existsSync(fileIn(config));
}

/**
 * Write a new secret beside the present one. Answers a function that puts it in place and returns whether it did:
 * if the environment gives the secret, the operator replaces it there.
 */
export function replaceAppSecret(config: SecretConfig, secret: string): () => boolean {
  if (config.appSecret) return () => false;
  const keep = stageFile(fileIn(config), `${secret}\n`);
  return () => {
    keep();
    return true;
  };
}
