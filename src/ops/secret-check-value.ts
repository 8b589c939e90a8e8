import { encrypt, DecryptionFailed, decrypt } from "#ops/encryption.ts";

/*
 * A text that tells one APP_SECRET from another: sealed under it once and kept in the database, it
 * opens under no other (`installation.sealed_probe`).
 */

const owner = "the secret of this database";
const version = 1;

export function encryptCheckValue(secret: string): string {
  return encrypt("opens", owner, secret, version);
}

export function decryptsCheckValue(probe: string, secret: string): boolean {
  try {
    decrypt(probe, owner, secret, version);
    return true;
  } catch (problem) {
    if (problem instanceof DecryptionFailed) return false;
    throw problem;
  }
}
