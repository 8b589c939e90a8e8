import { encrypt, DecryptionFailed, decrypt } from "#kit/ops/encryption.ts";

/*
 * A text that tells one APP_SECRET from another: it is encrypted once and stored in the database, and only the same
 * secret can decrypt it (`installation.secret_check_value`).
 */

const owner = "the secret of this database";
const version = 1;

export function encryptCheckValue(secret: string): string {
  return encrypt("opens", owner, secret, version);
}

export function decryptsCheckValue(checkValue: string, secret: string): boolean {
  try {
    decrypt(checkValue, owner, secret, version);
    return true;
  } catch (problem) {
    if (problem instanceof DecryptionFailed) return false;
    throw problem;
  }
}
