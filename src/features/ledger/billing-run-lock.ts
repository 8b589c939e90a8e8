import { sql } from "kysely";
import type pg from "pg";
import type { Db } from "#db/database.ts";
import { lockOf } from "#db/locks.ts";

/*
 * Whoever bills holds an advisory lock on the run, on a session of its own past any pooler. It ends with
 * the process, however that died: a run without an end whose lock nobody holds was interrupted, with
 * no clock to compare, and whoever did it, a worker or a command.
 */

/** A run that shows that it is alive. */
export interface BillingRunLock {
  /** From before the record of the run can be seen. */
  acquire(runId: number): Promise<void>;
  /** Throws when the session is lost: the run counts as interrupted, and must be. */
  confirmHeld(): Promise<void>;
  release(): Promise<void>;
}

/** Without sessions nothing is shown: the run counts as interrupted until it has ended. */
export async function openBillingRunLock(sessions: pg.Pool | undefined): Promise<BillingRunLock> {
  const session = await sessions?.connect();
  let isLost = false;
  const query = async (statement: string, values: unknown[] = []) => {
    try {
      await session?.query(statement, values);
    } catch (problem) {
      isLost = true;
      throw problem;
    }
  };
  return {
    acquire: (runId) =>
      query("select pg_advisory_lock($1, ($2::bigint % 2147483647)::integer)", [
        lockOf.billingRun,
        runId,
      ]),
    confirmHeld: () => query("select 1"),
    release: async () => {
      await query("select pg_advisory_unlock_all()").catch(() => undefined); // else it is gone already
      session?.release(isLost);
    },
  };
}

/** Which of these runs of any network nobody does at this moment. */
export async function runsWithoutLock(db: Db, runIds: number[]): Promise<Set<number>> {
  if (runIds.length === 0) return new Set();
  const { rows } = await sql<{ id: number }>`
    select id from unnest(${runIds}::bigint[]) as id
    where not exists (
      select from pg_locks l
      where l.locktype = 'advisory' and l.objsubid = 2 and l.granted
        and l.database = (select oid from pg_database where datname = current_database())
        and l.classid = ${lockOf.billingRun}::bigint::oid and l.objid = (id % 2147483647)::oid)`.execute(
    db,
  );
  return new Set(rows.map(({ id }) => id));
}
