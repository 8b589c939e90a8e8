import { sql } from "kysely";
import type { Admin } from "#domain/actor.ts";
import type { OnImportProgress } from "#features/imports/csv-import.ts";
import type { Db } from "#db/database.ts";
import { lockKey, lockOf } from "#db/locks.ts";
import type { ImportsUnderWay } from "#db/schema.ts";
import { uploadInProgress } from "#http/uploads.ts";

const progressEveryMs = 500;

/**
 * Check or import a file while no other one of the network is, in any process, and record the progress
 * outside of the transaction. Throws 409 while another is under way.
 */
export async function withImportLock<Done>(
  { tx, db, admin }: { tx: Db; db: Db; admin: Admin },
  file: { recordType: ImportsUnderWay["recordType"]; name: string; rows: number },
  work: (onProgress: OnImportProgress) => Promise<Done>,
): Promise<Done> {
  const { networkId } = admin;
  const lock = sql<{ isOurs: boolean }>`
    select pg_try_advisory_xact_lock(${lockOf.import}, ${lockKey(networkId)}) as is_ours`;
  if (!(await lock.execute(tx)).rows[0]?.isOurs) throw uploadInProgress();
  await sql`set local statement_timeout = '2min'`.execute(tx); // the largest files, on a busy machine
  const description = {
    networkId,
    recordType: file.recordType,
    fileName: file.name,
    begunBy: admin.name,
    rowsInAll: file.rows,
  };
  let reported = { step: "", at: 0 };
  const onProgress: OnImportProgress = async (step, rows) => {
    if (step === reported.step && performance.now() - reported.at < progressEveryMs) return;
    reported = { step, at: performance.now() };
    const state = { ...description, step, rowsRead: rows };
    await db
      .insertInto("importsUnderWay")
      .values(state)
      .onConflict((conflict) => conflict.column("networkId").doUpdateSet(state))
      .execute();
  };
  await onProgress("reading", 0);
  return await work(onProgress);
}

/** How far the network's file is; null when none is under way. */
export async function runningImport(db: Db, { networkId }: Admin) {
  const found = await db
    .selectFrom("importsUnderWay")
    .select(["recordType", "fileName", "begunBy", "step", "rowsRead", "rowsInAll"])
    .where("networkId", "=", networkId)
    .where(
      sql<boolean>`exists (
        select from pg_locks
        where locktype = 'advisory' and classid = ${lockOf.import} and objid = ${lockKey(networkId)}
          and objsubid = 2 and granted
          and database = (select oid from pg_database where datname = current_database()))`,
    )
    .executeTakeFirst();
  return { underWay: found ?? null };
}
