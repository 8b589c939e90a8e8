import { sql } from "kysely";
import type { Db } from "#kit/db/database.ts";
import { currentKeyVersion, encrypt, DecryptionFailed, decrypt } from "#kit/ops/encryption.ts";
import { secondFactorSecrets } from "#access/sign-in/second-factor-secrets.ts";
import { cardKeysOwner, sessionOwner } from "#cards/settings/card-accounts.ts";
import { webhookSecretOwner } from "#outgoing/webhooks/webhook-secrets.ts";

export interface EncryptedSecret {
  networkId: number;
  /** A description for messages. */
  what: string;
  /** Its record type in Activity. */
  recordType: "card settings" | "webhook" | "sign-in";
  text: string;
  /** Null if it was encrypted with another secret. */
  decrypt: (secret: string) => Promise<string | null>;
  encrypt: (plain: string, secret: string) => Promise<string>;
  /** Store the new encrypted text. */
  save: (text: string) => Promise<unknown>;
}

/**
 * The columns that `allSecrets` reads. Add any new encrypted column both here and there. The check value of
 * `installation` belongs to the database, not to a network, and is renewed automatically.
 */
export const encryptedColumns = [
  "card_processors.encrypted_secrets",
  "card_sessions.encrypted_secret",
  "two_factors.backup_codes",
  "two_factors.secret",
  "webhook_endpoints.encrypted_old_secret",
  "webhook_endpoints.encrypted_secret",
];

/**
 * Everything encrypted with the application secret, of one network or all, with the owner needed to decrypt
 * it.
 */
export async function allSecrets(
  tx: Db,
  networkId: number | null = null,
): Promise<EncryptedSecret[]> {
  const isWanted = sql<boolean>`(${networkId}::bigint is null or network_id = ${networkId})`;
  const keys = await tx
    .selectFrom("cardProcessors")
    .select(["networkId", "id", "processor", "encryptedSecrets", "keyVersion"])
    .where(isWanted)
    .orderBy("networkId")
    .orderBy("id")
    .execute();
  const sessions = await tx
    .selectFrom("cardSessions")
    .select(["networkId", "id", "reference", "encryptedSecret"])
    .where("encryptedSecret", "is not", null)
    .where(isWanted)
    .orderBy("networkId")
    .orderBy("id")
    .execute();
  const webhooks = await tx
    .selectFrom("webhookEndpoints")
    .select(["networkId", "id", "encryptedSecret", "encryptedOldSecret", "keyVersion"])
    .where(isWanted)
    .orderBy("networkId")
    .orderBy("id")
    .execute();
  return [
    ...keys.map(({ networkId, id, processor, encryptedSecrets, keyVersion }) => ({
      networkId,
      what: `network ${networkId}, card settings ${id} (${processor})`,
      ...ofNetwork(
        "card settings",
        encryptedSecrets,
        cardKeysOwner(networkId, processor),
        keyVersion,
      ),
      save: (text: string) =>
        tx
          .updateTable("cardProcessors")
          .set({ encryptedSecrets: text, keyVersion: currentKeyVersion })
          .where("networkId", "=", networkId)
          .where("id", "=", id)
          .execute(),
    })),
    ...sessions.map(({ networkId, id, reference, encryptedSecret }) => ({
      networkId,
      what: `network ${networkId}, card session ${id}`,
      ...ofNetwork(
        "card settings",
        encryptedSecret ?? "",
        sessionOwner(networkId, reference),
        currentKeyVersion,
      ),
      save: (text: string) =>
        tx
          .updateTable("cardSessions")
          .set({ encryptedSecret: text })
          .where("networkId", "=", networkId)
          .where("id", "=", id)
          .execute(),
    })),
    ...webhooks.flatMap(({ networkId, id, keyVersion, ...columns }) =>
      (["encryptedSecret", "encryptedOldSecret"] as const).flatMap((column) => {
        const text = columns[column];
        if (text === null) return [];
        return {
          networkId,
          what: `network ${networkId}, webhook ${id}`,
          ...ofNetwork("webhook", text, webhookSecretOwner(networkId), keyVersion),
          save: (newText: string) =>
            tx
              .updateTable("webhookEndpoints")
              .set({ [column]: newText, keyVersion: currentKeyVersion })
              .where("networkId", "=", networkId)
              .where("id", "=", id)
              .execute(),
        };
      }),
    ),
    ...(await secondFactorSecrets(tx, networkId)),
  ];
}

function ofNetwork(
  recordType: "card settings" | "webhook",
  text: string,
  owner: string,
  version: number,
) {
  return {
    recordType,
    text,
    decrypt: async (secret: string) => decryptOrNull(text, owner, secret, version),
    encrypt: async (plain: string, secret: string) => encrypt(plain, owner, secret),
  };
}

export interface Reencrypted {
  state: "reencrypted" | "done" | "unreadable";
  text: string;
}

/** Encrypt a secret with the new application secret. Running it again changes nothing. */
export async function reencrypt(
  { text, decrypt, encrypt }: EncryptedSecret,
  { oldSecret, newSecret }: { oldSecret: string; newSecret: string },
): Promise<Reencrypted> {
  if ((await decrypt(newSecret)) !== null) return { state: "done", text };
  const plain = await decrypt(oldSecret);
  if (plain === null) return { state: "unreadable", text };
  return { state: "reencrypted", text: await encrypt(plain, newSecret) };
}

function decryptOrNull(
  text: string,
  owner: string,
  secret: string,
  version: number,
): string | null {
  try {
    return decrypt(text, owner, secret, version);
  } catch (problem) {
    if (problem instanceof DecryptionFailed) return null;
    throw problem;
  }
}
