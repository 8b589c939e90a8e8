import { randomBytes } from "node:crypto";
import { currentKeyVersion, decrypt, encrypt } from "#ops/encryption.ts";

/** A new secret as receivers' libraries read it. */
export const newWebhookSecret = (): string => `whsec_${randomBytes(32).toString("base64")}`;

/** The owner with which the secrets of a network's webhooks are encrypted. */
export const webhookSecretOwner = (networkId: number): string => `webhook secret ${networkId}`;

/** The columns that keep a webhook's secret. */
export function encryptedSecret(secret: string, networkId: number, appSecret: string) {
  return {
    encryptedSecret: encrypt(secret, webhookSecretOwner(networkId), appSecret),
    keyVersion: currentKeyVersion,
  };
}

/** Throws DecryptionFailed. */
export function decryptedSecret(
  { networkId, keyVersion }: { networkId: number; keyVersion: number },
  encrypted: string,
  appSecret: string,
): string {
  return decrypt(encrypted, webhookSecretOwner(networkId), appSecret, keyVersion);
}
