import { sql } from "kysely";
import type { PoolClient } from "pg";
import type { Db } from "#db/database.ts";
import { settle } from "#features/exports/settling.ts";
import { lockOf } from "#db/locks.ts";

const maxTakeovers = 4;

/** An export that is this process's to prepare, for as long as its connection lives. */
export type Claimed = NonNullable<Awaited<ReturnType<typeof take>>>;

/**
 * Claim the next export that waits: one that is queued, or one whose preparer has vanished. Who
 * prepares an export holds an advisory lock on it, which ends with the connection: a killed process
 * lets go at once, however it died, and no clock decides. Networks take turns, so that one that
 * orders many does not keep the others waiting. Answers null when nothing waits.
 */
export async function claimNext(db: Db, client: PoolClient): Promise<Claimed | null> {
  const { rows: waiting } = await sql<{ networkId: number; id: number; status: string }>`
    select x.network_id, x.id, x.status from data_exports x
    where x.status in ('queued', 'running')
    order by (select count(*) from data_exports o
      where o.network_id = x.network_id and o.status = 'running' and o.id <> x.id), x.id
    limit 20`.execute(db);
  for (const { networkId, id } of waiting) {
    if (!(await lock(client, id))) continue;
    const claimed = await take(db, networkId, id);
    if (claimed && claimed.takeovers <= maxTakeovers) return claimed;
    if (claimed)
      await settle(db, claimed, {
        status: "failed",
        failureCause: "stopped",
        failureReason: "It was begun five times, and each time the server stopped before the end.",
      });
    await unlock(client, id);
  }
  return null;
}

async function lock(client: PoolClient, id: number): Promise<boolean> {
  const { rows } = await client.query<{ locked: boolean }>(
    "select pg_try_advisory_lock($1, ($2::bigint % 2147483647)::integer) as locked",
    [lockOf.dataExport, id],
  );
  return rows[0]?.locked ?? false;
}

export async function unlock(client: PoolClient, id: number): Promise<void> {
  await client.query("select pg_advisory_unlock($1, ($2::bigint % 2147483647)::integer)", [
    lockOf.dataExport,
    id,
  ]);
}

/** Null when it is done or cancelled by now. */
async function take(db: Db, networkId: number, id: number) {
  return await db
    .updateTable("dataExports as x")
    .from("networks as n")
    .set({
      status: "running",
      attempt: sql<number>`x.attempt + 1`,
      takeovers: sql<number>`x.takeovers + case x.status when 'running' then 1 else 0 end`,
      rowsWritten: 0,
      totalRows: null,
      startedAt: sql<string>`now()`,
    })
    .whereRef("n.id", "=", "x.networkId")
    .where("x.networkId", "=", networkId)
    .where("x.id", "=", id)
    .where("x.status", "in", ["queued", "running"])
    .returning(["x.networkId", "x.id", "x.attempt", "x.takeovers", "x.reportType", "x.columns"])
    .returning(["x.attorneyId", "x.timeFilterMode", "x.firstOn", "x.lastOn", "x.requestedBy"])
    .returning(["n.name as networkName", "n.timeZone"])
    .executeTakeFirst();
}
