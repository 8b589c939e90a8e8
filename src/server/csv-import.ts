import { basename } from "node:path";
import type { z } from "zod";
import type { Doer } from "#server/actor.ts";
import { audit } from "#server/audit.ts";
import type { Encoding } from "#server/csv-file.ts";
import { type Layout, readTable, type Row, type RowProblem } from "#server/csv-table.ts";
import type { Db } from "#server/database.ts";
import { inTransaction } from "#server/transaction.ts";

export interface ImportFile {
  path: string;
  encoding: Encoding;
  /** Import the good rows though others are bad. */
  skipsBad: boolean;
}

export interface ImportReport {
  rows: number;
  inserted: number;
  updated: number;
  unchanged: number;
  /** Rows left out because they are bad. */
  skipped: number;
  problems: RowProblem[];
  /** Headers of columns that hold nothing of such a record. */
  ignoredHeaders: string[];
  /** False: rows are bad, and nothing was written. */
  isImported: boolean;
}

export interface GoodRow<Details> {
  line: number;
  details: Details;
}

/**
 * How the rows of a file become records. They wait in a table that the transaction alone sees, so
 * that how they meet what stands is decided for all of them at once.
 */
export interface Importing<Details extends z.ZodObject, More extends object> {
  /** What the audit trail calls such a record. */
  recordType: "attorney" | "matter";
  layout: Layout<Details>;
  /** What no two rows of a file may both say, with its name. */
  keysOf(details: z.output<Details>): [name: string, value: string][];
  makeWaitingRoom(tx: Db): Promise<void>;
  takeIn(tx: Db, rows: GoodRow<z.output<Details>>[]): Promise<void>;
  /** Rows that cannot be what they say they are. */
  findUnfitRows(tx: Db): Promise<RowProblem[]>;
  removeRows(tx: Db, lines: number[]): Promise<void>;
  /** Answers how many records changed. */
  updateKnown(tx: Db): Promise<number>;
  addNew(tx: Db): Promise<number>;
  /** What follows from the change, for the report; once with nothing when nothing is imported. */
  followUp(tx: Db | null): Promise<More>;
}

/**
 * Import a CSV file in one transaction: records that are known are updated where something differs,
 * others added. An empty cell, like a missing column, leaves what stands. When a row is bad nothing
 * is imported, unless bad rows are to be skipped. Throws a Refusal when the file cannot be read or
 * its columns do not fit.
 */
export async function importFile<Details extends z.ZodObject, More extends object>(
  db: Db,
  doer: Doer,
  file: ImportFile,
  importing: Importing<Details, More>,
  onProgress: (rows: number) => void,
): Promise<ImportReport & More> {
  return await inTransaction(db, async (tx) => {
    const { ignored, rows } = await readTable(file, importing.layout);
    await importing.makeWaitingRoom(tx);
    const read = await takeInGoodRows(tx, rows, importing, onProgress);
    const unfit = await importing.findUnfitRows(tx);
    await importing.removeRows(
      tx,
      unfit.map(({ line }) => line),
    );
    const problems = [...read.problems, ...unfit].toSorted((a, b) => a.line - b.line);
    const skipped = new Set(problems.map(({ line }) => line)).size;
    const isImported = skipped === 0 || file.skipsBad;
    const about = { rows: read.rows, problems, ignoredHeaders: ignored, isImported };
    if (!isImported) {
      const nothing = { inserted: 0, updated: 0, unchanged: 0, skipped };
      return { ...nothing, ...(await importing.followUp(null)), ...about };
    }
    const updated = await importing.updateKnown(tx);
    const inserted = await importing.addNew(tx);
    const unchanged = read.rows - skipped - updated - inserted;
    const more = await importing.followUp(tx);
    const counts = { inserted, updated, unchanged, skipped, ...more };
    await audit(tx, doer, {
      action: "imported",
      recordType: importing.recordType,
      recordId: null,
      after: { file: basename(file.path), ...counts },
    });
    return { ...counts, ...about };
  });
}

const batchSize = 2000;

/** Put the good rows into the waiting room; answers the problems of the others. */
async function takeInGoodRows<Details extends z.ZodObject>(
  tx: Db,
  rows: AsyncIterable<Row<z.output<Details>>>,
  { keysOf, takeIn }: Pick<Importing<Details, object>, "keysOf" | "takeIn">,
  onProgress: (rows: number) => void,
): Promise<{ rows: number; problems: RowProblem[] }> {
  const problems: RowProblem[] = [];
  const repetitionIn = repetitions(keysOf);
  let batch: GoodRow<z.output<Details>>[] = [];
  let count = 0;
  for await (const row of rows) {
    count += 1;
    const found = row.problems ?? repetitionIn(row);
    if (row.problems || found.length > 0) problems.push(...found);
    else batch.push(row);
    if (batch.length < batchSize) continue;
    await takeIn(tx, batch);
    batch = [];
    onProgress(count);
  }
  if (batch.length > 0) await takeIn(tx, batch);
  return { rows: count, problems };
}

/** What an earlier row of the same file has already said. */
function repetitions<Details>(keysOf: (details: Details) => [name: string, value: string][]) {
  const firstLines = new Map<string, number>();
  return ({ line, details }: GoodRow<Details>): RowProblem[] =>
    keysOf(details).flatMap(([name, value]) => {
      const first = firstLines.get(`${name} ${value}`);
      firstLines.set(`${name} ${value}`, first ?? line);
      return first ? [{ line, message: `This ${name} stands on line ${first} already.` }] : [];
    });
}
