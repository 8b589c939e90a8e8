import { sql } from "kysely";
import { audit } from "#kit/db/audit.ts";
import type { Db } from "#kit/db/database.ts";
import { Refusal } from "#kit/contract/refusal.ts";
import { decryptsCheckValue, encryptCheckValue } from "#kit/ops/secret-check-value.ts";
import { isServerSession } from "#kit/db/server-sessions.ts";
import {
  allSecrets,
  type EncryptedSecret,
  type Reencrypted,
  reencrypt,
} from "#cards/settings/encrypted-secrets.ts";
import { operator } from "#access/networks/networks.ts";

export interface Rotation {
  oldSecret: string;
  newSecret: string;
  /** Skip what neither secret decrypts, instead of refusing. */
  skipsUnreadable: boolean;
}

export interface RotationResult {
  reencrypted: number;
  /** Already encrypted with the new secret, by an earlier rotation. */
  alreadyDone: number;
  unreadable: number;
  sessionsEnded: number;
}

/**
 * Re-encrypt everything that is encrypted with the application secret, and end all sessions, whose cookies the new
 * secret does not sign: all or nothing, and repeatable. Throws 409 while servers run, since they would keep encrypting
 * with the old secret, and if neither secret decrypts something.
 */
export async function rotateSecret(tx: Db, rotation: Rotation): Promise<RotationResult> {
  await sql`lock table card_processors, card_sessions, webhook_endpoints, two_factors, sessions in share row exclusive mode`.execute(
    tx,
  );
  await refuseWhileRunning(tx);
  await replaceCheckValue(tx, rotation);
  const secrets = await allSecrets(tx);
  const results: (EncryptedSecret & Reencrypted)[] = [];
  for (const one of secrets) results.push({ ...one, ...(await reencrypt(one, rotation)) });
  const unreadable = results.filter(({ state }) => state === "unreadable");
  if (unreadable.length > 0 && !rotation.skipsUnreadable) throw unreadableSecrets(unreadable);
  for (const one of results) if (one.state === "reencrypted") await one.save(one.text);
  await auditRotation(tx, results);
  const { numDeletedRows } = await tx.deleteFrom("sessions").executeTakeFirst();
  const count = (state: Reencrypted["state"]) =>
    results.filter((one) => one.state === state).length;
  return {
    reencrypted: count("reencrypted"),
    alreadyDone: count("done"),
    unreadable: unreadable.length,
    sessionsEnded: Number(numDeletedRows),
  };
}

/** Processes started afterwards must have the new secret. */
async function replaceCheckValue(tx: Db, rotation: Rotation): Promise<void> {
  const { oldSecret, newSecret, skipsUnreadable } = rotation;
  const saved = await tx
    .selectFrom("installation")
    .select("secretCheckValue")
    .forUpdate()
    .executeTakeFirst();
  const probe = saved?.secretCheckValue;
  if (probe && decryptsCheckValue(probe, newSecret)) return;
  if (probe && !decryptsCheckValue(probe, oldSecret) && !skipsUnreadable)
    throw new Refusal(
      409,
      "Nothing was changed: APP_SECRET is not this database's secret. If that one is lost, rotate with --skip-unreadable and enter the card processors' keys again.",
    );
  const secretCheckValue = encryptCheckValue(newSecret);
  await tx
    .insertInto("installation")
    .values({ secretCheckValue })
    .onConflict((on) => on.column("isOnlyRow").doUpdateSet({ secretCheckValue }))
    .execute();
}

async function refuseWhileRunning(tx: Db): Promise<void> {
  const { rows } = await sql<{ running: number }>`
    select count(*) as running from pg_stat_activity
    where datname = current_database() and ${sql.raw(isServerSession)}`.execute(tx);
  if ((rows[0]?.running ?? 0) > 0)
    throw new Refusal(
      409,
      "Nothing was changed: servers are running on this database and would keep using the old secret. Stop all of them, web and workers, then try again.",
    );
}

/** How many secrets are stored, and how many of them a secret cannot decrypt. */
export async function countSecrets(
  db: Db,
  secret: string,
): Promise<{ stored: number; unreadable: number }> {
  const opened = await openAll(db, secret);
  return { stored: opened.length, unreadable: opened.filter((plain) => plain === null).length };
}

/** Everything stored encrypted, decrypted with a secret; null for what was encrypted with another. */
export async function openAll(db: Db, secret: string): Promise<(string | null)[]> {
  const opened: (string | null)[] = [];
  for (const one of await allSecrets(db)) opened.push(await one.decrypt(secret));
  return opened;
}

function unreadableSecrets(unreadable: { what: string }[]): Refusal {
  const named = unreadable.slice(0, 5).map(({ what }) => what);
  const more = unreadable.length > 5 ? ` and ${unreadable.length - 5} more` : "";
  return new Refusal(
    409,
    `Nothing was changed: neither secret decrypts ${named.join("; ")}${more}. Check that APP_SECRET is the servers' secret. If these keys were lost earlier, rotate with --skip-unreadable and enter them again.`,
  );
}

async function auditRotation(tx: Db, results: (EncryptedSecret & Reencrypted)[]): Promise<void> {
  const reencrypted = results.filter(({ state }) => state === "reencrypted");
  for (const recordType of ["card settings", "webhook", "sign-in"] as const) {
    const ofType = reencrypted.filter((one) => one.recordType === recordType);
    for (const networkId of new Set(ofType.map((one) => one.networkId)))
      await audit(tx, operator(networkId), { action: "re-encrypted", recordType, recordId: null });
  }
}
