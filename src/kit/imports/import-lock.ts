import { basename } from "node:path";
import { sql } from "kysely";
import type { z } from "zod";
import type { Admin, ChangeAuthor } from "#kit/domain/actor.ts";
import { importFile, type ImportFile, type ImportReport } from "#kit/imports/csv-import.ts";
import type { ImportDefinition, OnImportProgress } from "#kit/imports/import-definition.ts";
import type { Db } from "#kit/db/database.ts";
import { lockKey, lockOf } from "#kit/db/locks.ts";
import type { ImportsUnderWay } from "#kit/db/schema.ts";
import { inTransaction } from "#kit/db/transaction.ts";
import { uploadInProgress } from "#kit/http/uploads.ts";

/*
 * One file per network at a time, in any process, from the browser or a command: records are looked up before they are
 * written. The lock belongs to the transaction; progress is recorded outside it.
 */

const progressEveryMs = 500;

interface FileUnderWay {
  recordType: ImportsUnderWay["recordType"];
  name: string;
  /** The approximate number of rows; 0 if unknown. */
  rows: number;
}

/**
 * Check or import an uploaded file while no other file of the network is being imported, and record its progress. Throws
 * 409 if another one is.
 */
export async function withImportLock<Done>(
  { tx, db, admin }: { tx: Db; db: Db; admin: Admin },
  file: FileUnderWay,
  work: (onProgress: OnImportProgress) => Promise<Done>,
): Promise<Done> {
  const lock = sql<{ isOurs: boolean }>`
    select pg_try_advisory_xact_lock(${lockOf.import}, ${lockKey(admin.networkId)}) as is_ours`;
  if (!(await lock.execute(tx)).rows[0]?.isOurs) throw uploadInProgress();
  await sql`set local statement_timeout = '2min'`.execute(tx); // for the largest files, on a busy machine
  const onProgress = progressRecorder(db, admin, file);
  await onProgress("reading", 0);
  return await work(onProgress);
}

/**
 * Import a file in its own transaction, as `importFile` does, once no other file of the network is being imported: nobody
 * would retry a nightly command.
 */
export async function importWhenFree<Details extends z.ZodObject, More extends object>(
  db: Db,
  author: ChangeAuthor,
  file: ImportFile,
  definition: ImportDefinition<Details, More>,
  onProgress: OnImportProgress,
): Promise<ImportReport & More> {
  const { recordType } = definition;
  const record = progressRecorder(db, author, { recordType, name: basename(file.path), rows: 0 });
  return await inTransaction(db, async (tx) => {
    await waitForImportLock(tx, author.networkId);
    await record("reading", 0);
    return await importFile(tx, author, file, definition, async (step, rows) => {
      await record(step, rows);
      await onProgress(step, rows);
    });
  });
}

/** Waits as long as the statement may take: the largest file takes longer than others may wait for a row. */
async function waitForImportLock(tx: Db, networkId: number): Promise<void> {
  await sql`set local lock_timeout = 0`.execute(tx);
  await sql`select pg_advisory_xact_lock(${lockOf.import}, ${lockKey(networkId)})`.execute(tx);
  await sql`set local lock_timeout to default`.execute(tx);
}

/** Records a file's progress, outside the transaction that holds the lock. */
function progressRecorder(
  db: Db,
  { networkId, name: begunBy }: ChangeAuthor,
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

/** The progress of the network's file; null if there is none. */
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
