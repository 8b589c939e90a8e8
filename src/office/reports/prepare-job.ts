import { sql } from "kysely";
import { z } from "zod";
import type { Db } from "#kit/db/database.ts";
import { sendJob } from "#kit/jobs/send.ts";

/** The job that prepares an export. Screens show the export's record, not the job. */
export const prepareJob = "prepare-report";

export const ExportKey = z.object({ networkId: z.number(), id: z.number() });
export type ExportKey = z.output<typeof ExportKey>;

/**
 * Enqueue an export in the transaction that inserts it. The more exports of a network are waiting, the lower the next
 * one's priority, so that networks take turns.
 */
export async function enqueueExport(tx: Db, key: ExportKey): Promise<void> {
  const { others } = await tx
    .selectFrom("dataExports")
    .select((count) => count.fn.countAll<number>().as("others"))
    .where("networkId", "=", key.networkId)
    .where("id", "<>", key.id)
    .where("status", "in", ["queued", "running"])
    .executeTakeFirstOrThrow();
  // An export cancelled while waiting still has its job; a second one would compete with it.
  const job = { key: `${key.networkId}-${key.id}`, data: key, priority: -others };
  await sendJob(tx, prepareJob, job);
}

/** Enqueue exports without a job: it was cleared, or the database is a copy. */
export async function enqueueLostExports(db: Db): Promise<void> {
  const { rows } = await sql<ExportKey>`
    select x.network_id, x.id from data_exports x
    where x.status in ('queued', 'running') and not exists (
      select from pgboss.job j
      where j.name = ${prepareJob} and j.state < 'completed'
        and j.data = jsonb_build_object('networkId', x.network_id, 'id', x.id))
    order by x.id`.execute(db);
  for (const key of rows) await enqueueExport(db, key);
}
