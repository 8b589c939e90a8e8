import { sql } from "kysely";
import type { Db } from "#kit/db/database.ts";

/** Loaded on first use, to save memory in processes that never need it. */
const crypto = async () => await import("better-auth/crypto");

/**
 * The secrets and recovery codes of authenticator apps, of one network or all, which the auth library encrypted with
 * the application secret, with functions to encrypt them under another one.
 */
export async function secondFactorSecrets(tx: Db, networkId: number | null) {
  const apps = await tx
    .selectFrom("twoFactors")
    .select(["networkId", "id", "secret", "backupCodes"])
    .where(sql<boolean>`(${networkId}::bigint is null or network_id = ${networkId})`)
    .orderBy("networkId")
    .orderBy("id")
    .execute();
  return apps.flatMap(({ networkId, id, ...columns }) =>
    (["secret", "backupCodes"] as const).map((column) => ({
      networkId,
      what: `network ${networkId}, authenticator app ${id}`,
      recordType: "sign-in" as const,
      text: columns[column],
      decrypt: (secret: string) => decrypted(columns[column], secret),
      encrypt: async (plain: string, secret: string) =>
        await (await crypto()).symmetricEncrypt({ key: secret, data: plain }),
      save: (text: string) =>
        tx
          .updateTable("twoFactors")
          .set({ [column]: text })
          .where("networkId", "=", networkId)
          .where("id", "=", id)
          .execute(),
    })),
  );
}

async function decrypted(text: string, secret: string): Promise<string | null> {
  const { symmetricDecrypt } = await crypto();
  try {
    return await symmetricDecrypt({ key: secret, data: text });
  } catch {
    return null; // encrypted under another secret
  }
}
