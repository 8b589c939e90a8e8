import { basename } from "node:path";
import { sql } from "kysely";
import type { z } from "zod";
import type { Admin, Doer } from "#kit/domain/actor.ts";
import { importFile, type ImportFile, type ImportReport } from "#kit/imports/csv-import.ts";
import type { ImportDefinition, OnImportProgress } from "#kit/imports/import-definition.ts";
import type { Db } from "#kit/db/database.ts";
import { lockKey, lockOf } from "#kit/db/locks.ts";
import type { ImportsUnderWay } from "#kit/db/schema.ts";
import { inTransaction } from "#kit/db/transaction.ts";
import { uploadInProgress } from "#kit/http/uploads.ts";

/*
 * One file of a network at a time, in any process, whether it comes from the browser or by a command: what is known
 * is found before it is written. The lock is the transaction's own, and progress is recorded beside it.
 */

const progressEveryMs = 500;

interface FileUnderWay {
  recordType: ImportsUnderWay["recordType"];
  name: string;
  /** About how many there are; 0 where that is not known. */
  rows: number;
}

/**
 * Check or import a file that was uploaded while no other one of the network is under way, and record how far it is.
 * Throws 409 while another is under way.
 */
export async function withImportLock<Done>(
  { tx, db, admin }: { tx: Db; db: Db; admin: Admin },
  file: FileUnderWay,
  work: (onProgress: OnImportProgress) => Promise<Done>,
): Promise<Done> {
  const lock = sql<{ isOurs: boolean }>`
    select pg_try_advisory_xact_lock(${lockOf.import}, ${lockKey(admin.networkId)}) as is_ours`;
  if (!(await lock.execute(tx)).rows[0]?.isOurs) throw uploadInProgress();
  await sql`set local statement_timeout = '2min'`.execute(tx); // the largest files, on a busy machine
  const onProgress = progressRecorder(db, admin, file);
  await onProgress("reading", 0);
  return await work(onProgress);
}

/**
 * Import a file in a transaction of its own, as `importFile` says, once no other one of the network is under way:
 * a command that comes every night has nobody who would try again.
 */
export async function importInTurn<Details extends z.ZodObject, More extends object>(
  db: Db,
  doer: Doer,
  file: ImportFile,
  definition: ImportDefinition<Details, More>,
  onProgress: OnImportProgress,
): Promise<ImportReport & More> {
  const { recordType } = definition;
  const record = progressRecorder(db, doer, { recordType, name: basename(file.path), rows: 0 });
  return await inTransaction(db, async (tx) => {
    await waitForImportLock(tx, doer.networkId);
    await record("reading", 0);
    return await importFile(tx, doer, file, definition, async (step, rows) => {
      await record(step, rows);
      await onProgress(step, rows);
    });
  });
}

/** As long as the statement may take: the largest file takes longer than others may wait for a row. */
async function waitForImportLock(tx: Db, networkId: number): Promise<void> {
  await sql`set local lock_timeout = 0`.execute(tx);
  await sql`select pg_advisory_xact_lock(${lockOf.import}, ${lockKey(networkId)})`.execute(tx);
  await sql`set local lock_timeout to default`.execute(tx);
}

/** Records how far a file is, outside of the transaction that holds the lock. */
function progressRecorder(
  db: Db,
  { networkId, name: begunBy }: Doer,
  { recordType, name, rows: rowsInAll }: FileUnderWay,
): OnImportProgress {
  const description = { networkId, recordType, fileName: name.slice(-200), begunBy, rowsInAll };
  let reported = { step: "", at: 0 };
  return async (step, rows) => {
    if (step === reported.step && performance.now() - reported.at < progressEveryMs) return;
    reported = { step, at: performance.now() };
    const state = { ...description, step, rowsRead: rows };
    await db
      .insertInto("importsUnderWay")
      .values(state)
      .onConflict((conflict) => conflict.column("networkId").doUpdateSet(state))
      .execute();
  };
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
