import { sql } from "kysely";
import { audit } from "#db/audit.ts";
import { notifyOnCommit } from "#db/changes.ts";
import type { Db } from "#db/database.ts";
import { inTransaction } from "#db/transaction.ts";
import {
  type ExportFileName,
  removeAbandoned,
  removeExport,
} from "#features/exports/export-files.ts";
import { exportsActor } from "#features/exports/export-outcome.ts";

/** Remove the files of expired exports, and mark their records. Source: domain rules §7. */
export async function removeExpired(db: Db, dataDir: string, now: string): Promise<void> {
  const { rows: expired } = await sql<ExportFileName>`
    select network_id, id, attempt from data_exports
    where removed_at is null and expires_at <= ${now}::timestamptz and status in ('ready', 'failed')
    order by network_id, id`.execute(db);
  for (const one of expired) {
    await removeExport(dataDir, one);
    await inTransaction(db, (tx) => markRemoved(tx, one));
  }
  const { rows: networks } = await sql<{ id: number; kept: ExportFileName[] }>`
    select n.id, coalesce(json_agg(json_build_object('networkId', x.network_id, 'id', x.id,
      'attempt', x.attempt)) filter (where x.id is not null), '[]') as kept
    from networks n
    left join data_exports x on x.network_id = n.id and x.removed_at is null
      and x.status in ('ready', 'running')
    group by n.id`.execute(db);
  for (const { id, kept } of networks) await removeAbandoned(dataDir, id, kept);
}

async function markRemoved(tx: Db, { networkId, id }: ExportFileName): Promise<void> {
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
