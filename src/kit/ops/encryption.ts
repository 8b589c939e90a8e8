import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from "node:crypto";

/*
 * Stored secrets: AES-256-GCM with keys that HKDF derives from the application's secret. Each key version is a
 * derived key; the row stores the version beside the ciphertext.
 */

export const currentKeyVersion = 1;

/** A stored secret cannot be decrypted: it was encrypted with another APP_SECRET, or altered. */
export class DecryptionFailed extends Error {
  constructor() {
    super("A stored secret cannot be read with this APP_SECRET. Enter it again.");
  }
}

/**
 * Encrypt a secret. `owner` names its row and is authenticated, so the ciphertext cannot be decrypted in another
 * row.
 */
export function encrypt(
  plain: string,
  owner: string,
  appSecret: string,
  version = currentKeyVersion,
): string {
  const nonce = randomBytes(12);
  const cipher = createCipheriv("aes-256-gcm", derivedKey(appSecret, version), nonce);
  cipher.setAAD(Buffer.from(owner));
  const body = Buffer.concat([cipher.update(plain, "utf8"), cipher.final()]);
  return Buffer.concat([nonce, cipher.getAuthTag(), body]).toString("base64");
}

/** Decrypt what `encrypt` made for the same owner. Throws `DecryptionFailed`. */
export function decrypt(
  ciphertext: string,
  owner: string,
  appSecret: string,
  version = currentKeyVersion,
): string {
  const bytes = Buffer.from(ciphertext, "base64");
  try {
    const decipher = createDecipheriv(
      "aes-256-gcm",
      derivedKey(appSecret, version),
      bytes.subarray(0, 12),
    );
    decipher.setAAD(Buffer.from(owner));
    decipher.setAuthTag(bytes.subarray(12, 28));
    return decipher.update(bytes.subarray(28), undefined, "utf8") + decipher.final("utf8");
  } catch {
    throw new DecryptionFailed(); // the cipher's own message does not help
  }
}

function derivedKey(appSecret: string, version: number): Buffer {
  return Buffer.from(
    hkdfSync("sha256", appSecret, "referral-network", `sealed secrets ${version}`, 32),
  );
}
