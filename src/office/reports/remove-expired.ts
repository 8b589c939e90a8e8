import { sql } from "kysely";
import { audit } from "#kit/db/audit.ts";
import { notifyOnCommit } from "#kit/db/changes.ts";
import type { Db } from "#kit/db/database.ts";
import { inTransaction } from "#kit/db/transaction.ts";
import { type Attempt, exportsActor } from "#office/reports/export-outcome.ts";
import { removeAbandonedPieces, removePieces } from "#office/reports/file-pieces.ts";

/** Remove the files of expired exports, and mark their records. Source: domain rules §7. */
export async function removeExpired(db: Db, now: string): Promise<void> {
  const { rows: expired } = await sql<Attempt>`
    select network_id, id, attempt from data_exports
    where removed_at is null and expires_at <= ${now}::timestamptz and status in ('ready', 'failed')
    order by network_id, id`.execute(db);
  for (const one of expired) await inTransaction(db, (tx) => remove(tx, one, now));
  await removeAbandonedPieces(db);
}

/** Skips an export that was retried concurrently: it has another month. */
async function remove(tx: Db, expired: Attempt, now: string): Promise<void> {
  const { networkId, id } = expired;
  const { numUpdatedRows } = await tx
    .updateTable("dataExports")
    .set({ removedAt: sql<string>`now()` })
    .where("networkId", "=", networkId)
    .where("id", "=", id)
    .where("removedAt", "is", null)
    .where("expiresAt", "<=", now)
    .where("status", "in", ["ready", "failed"])
    .executeTakeFirstOrThrow();
  if (numUpdatedRows === 0n) return;
  await removePieces(tx, expired);
  await audit(tx, exportsActor(networkId), {
    action: "removed report",
    recordType: "data export",
    recordId: id,
  });
  notifyOnCommit(tx, networkId, null, "exports");
}
