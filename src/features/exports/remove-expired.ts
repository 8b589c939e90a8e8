import { sql } from "kysely";
import { audit } from "#db/audit.ts";
import { notifyOnCommit } from "#db/changes.ts";
import type { Db } from "#db/database.ts";
import { inTransaction } from "#db/transaction.ts";
import { type Attempt, exportsActor } from "#features/exports/export-outcome.ts";
import { removeAbandonedPieces, removePieces } from "#features/exports/file-pieces.ts";

/** Remove the files of expired exports, and mark their records. Source: domain rules §7. */
export async function removeExpired(db: Db, now: string): Promise<void> {
  const { rows: expired } = await sql<Attempt>`
    select network_id, id, attempt from data_exports
    where removed_at is null and expires_at <= ${now}::timestamptz and status in ('ready', 'failed')
    order by network_id, id`.execute(db);
  for (const one of expired) await inTransaction(db, (tx) => remove(tx, one));
  await removeAbandonedPieces(db);
}

async function remove(tx: Db, expired: Attempt): Promise<void> {
  const { networkId, id } = expired;
  await removePieces(tx, expired);
  await tx
    .updateTable("dataExports")
    .set({ removedAt: sql<string>`now()` })
    .where("networkId", "=", networkId)
    .where("id", "=", id)
    .execute();
  await audit(tx, exportsActor(networkId), {
    action: "removed report",
    recordType: "data export",
    recordId: id,
  });
  notifyOnCommit(tx, networkId, null, "exports");
}
