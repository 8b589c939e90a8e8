import { randomBytes } from "node:crypto";
import { currentKeyVersion, decrypt, DecryptionFailed, encrypt } from "#kit/ops/encryption.ts";

/** A new secret in the format of the receivers' libraries. */
export const newWebhookSecret = (): string => `whsec_${randomBytes(32).toString("base64")}`;

/** The encryption owner of a network's webhook secrets. */
export const webhookSecretOwner = (networkId: number): string => `webhook secret ${networkId}`;

/** The columns that store a webhook's secret. */
export function encryptedSecret(secret: string, networkId: number, appSecret: string) {
  return {
    encryptedSecret: encrypt(secret, webhookSecretOwner(networkId), appSecret),
    keyVersion: currentKeyVersion,
  };
}

interface Owner {
  networkId: number;
  keyVersion: number;
}

/** Throws DecryptionFailed. */
export function decryptedSecret(
  { networkId, keyVersion }: Owner,
  encrypted: string,
  appSecret: string,
): string {
  return decrypt(encrypted, webhookSecretOwner(networkId), appSecret, keyVersion);
}

/** Null if it was encrypted with an installation secret that is lost. */
export function readableSecret(owner: Owner, encrypted: string, appSecret: string): string | null {
  try {
    return decryptedSecret(owner, encrypted, appSecret);
  } catch (problem) {
    if (problem instanceof DecryptionFailed) return null;
    throw problem;
  }
}
