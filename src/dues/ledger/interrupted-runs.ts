import { sql } from "kysely";
import type { Db } from "#kit/db/database.ts";
import { runsWithoutLock } from "#dues/ledger/billing-run-lock.ts";

/**
 * Write an audit entry for each interrupted run that had created debits; other runs write theirs when they
 * close. Call inside the lock that runs open and close in, so each run has one entry. Source: domain rules §8.
 */
export async function auditInterruptedRuns(tx: Db, networkId: number): Promise<void> {
  const { rows } = await sql<{ id: number }>`
    select r.id from billing_runs r
    where r.network_id = ${networkId} and r.finished_at is null and r.debits > 0 and not exists (
      select from audit_entries e
      where e.network_id = r.network_id and e.record_type = 'billing run' and e.record_id = r.id)
    order by r.id`.execute(tx);
  const open = rows.map(({ id }) => id);
  const interrupted = [...(await runsWithoutLock(tx, networkId, open))];
  if (interrupted.length === 0) return;
  await sql`
    insert into audit_entries
      (network_id, actor_name, action, record_type, record_id, after, created_at)
    select network_id, started_by, 'billed', 'billing run', id,
      json_build_object('asOf', as_of, 'debits', debits, 'interrupted', true), started_at
    from billing_runs
    where network_id = ${networkId} and id = any(${interrupted}::bigint[])
    order by id`.execute(tx);
}
