import { sql } from "kysely";
import type pg from "pg";
import type { Db } from "#kit/db/database.ts";
import { lockOf } from "#kit/db/locks.ts";

/*
 * A billing process holds an advisory lock on its run, on its own connection without a pooler. The lock
 * ends with the process, so an unfinished run with no lock was interrupted: no clocks are compared.
 */

/** The lock that shows that a run is still going. */
export interface BillingRunLock {
  /** Call before the run's record is committed. */
  acquire(networkId: number, runId: number): Promise<void>;
  /** Throws if the connection is lost: the run counts as interrupted and must stop. */
  confirmHeld(): Promise<void>;
  release(): Promise<void>;
}

/** Without `sessions` there is no lock: the run counts as interrupted until it ends. */
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
    acquire: (networkId, runId) =>
      query("select pg_advisory_lock($1, hashint8(hashint8extended($2, $3)))", [
        lockOf.billingRun,
        runId,
        networkId,
      ]),
    confirmHeld: () => query("select 1"),
    release: async () => {
      await query("select pg_advisory_unlock_all()").catch(() => undefined); // the connection is lost
      session?.release(isLost);
    },
  };
}

/** The runs of a network whose lock no process holds. Runs of other networks may have the same ids. */
export async function runsWithoutLock(
  db: Db,
  networkId: number,
  runIds: number[],
): Promise<Set<number>> {
  if (runIds.length === 0) return new Set();
  const { rows } = await sql<{ id: number }>`
    select id from unnest(${runIds}::bigint[]) as id
    where not exists (
      select from pg_locks l
      where l.locktype = 'advisory' and l.objsubid = 2 and l.granted
        and l.database = (select oid from pg_database where datname = current_database())
        and l.classid = ${lockOf.billingRun}::bigint::oid
          and l.objid = (hashint8(hashint8extended(id, ${networkId}))::bigint & 4294967295)::oid)`.execute(
    db,
  );
  return new Set(rows.map(({ id }) => id));
}
