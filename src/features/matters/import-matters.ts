import { basename } from "node:path";
import type { PlainDate } from "#domain/calendar.ts";
import type { Doer } from "#server/actor.ts";
import { audit } from "#server/audit.ts";
import type { Encoding } from "#server/csv-file.ts";
import { readTable, type Row, type RowProblem } from "#server/csv-table.ts";
import type { Db } from "#server/database.ts";
import { inTransaction } from "#server/transaction.ts";
import { type Reviewed, reviewNetwork } from "#features/attorneys/suspension.ts";
import { type ImportedMatter, layout } from "#features/matters/imported-matter.ts";
import {
  addNewMatters,
  findUnfitRows,
  makeWaitingRoom,
  removeRows,
  takeIn,
  updateKnownMatters,
} from "#features/matters/imported-rows.ts";

export interface MatterFile {
  path: string;
  encoding: Encoding;
  /** Import the good rows though others are bad. */
  skipsBad: boolean;
}

export interface MatterImport extends Reviewed {
  rows: number;
  inserted: number;
  updated: number;
  unchanged: number;
  /** Rows left out because they are bad. */
  skipped: number;
  problems: RowProblem[];
  /** Headers of columns that hold nothing of a referral's. */
  ignoredHeaders: string[];
  /** False: rows are bad, and nothing was written. */
  isImported: boolean;
}

/**
 * Import referrals from a CSV file in one transaction. A referral is known again by its reference, or
 * without one by the client's name and the day it was submitted: its contact details are updated, and
 * it only moves on, from new to open to closed. Suspensions are reviewed after. When a row is bad
 * nothing is imported, unless bad rows are to be skipped. Throws a Refusal when the file cannot be
 * read or its columns do not fit.
 */
export async function importMatters(
  db: Db,
  doer: Doer,
  { today, ...file }: MatterFile & { today: PlainDate },
  onProgress: (rows: number) => void = () => undefined,
): Promise<MatterImport> {
  return await inTransaction(db, async (tx) => {
    const { ignored, rows } = await readTable(file, layout);
    await makeWaitingRoom(tx);
    const read = await takeInGoodRows(tx, rows, onProgress);
    const unfit = await findUnfitRows(tx, doer.networkId, today);
    await removeRows(tx, unfit);
    const problems = [...read.problems, ...unfit].toSorted((a, b) => a.line - b.line);
    const skipped = new Set(problems.map(({ line }) => line)).size;
    const isImported = skipped === 0 || file.skipsBad;
    const counts = { inserted: 0, updated: 0, unchanged: 0, skipped, suspended: 0, lifted: 0 };
    if (isImported) {
      counts.updated = await updateKnownMatters(tx, doer);
      counts.inserted = await addNewMatters(tx, doer);
      counts.unchanged = read.rows - skipped - counts.updated - counts.inserted;
      Object.assign(counts, await reviewNetwork(tx, doer, today));
      await audit(tx, doer, {
        action: "imported",
        recordType: "matter",
        recordId: null,
        after: { file: basename(file.path), ...counts },
      });
    }
    return { ...counts, rows: read.rows, problems, ignoredHeaders: ignored, isImported };
  });
}

const batchSize = 2000;

/** Put the good rows into the waiting room; answers the problems of the others. */
async function takeInGoodRows(
  tx: Db,
  rows: AsyncIterable<Row<ImportedMatter>>,
  onProgress: (rows: number) => void,
): Promise<{ rows: number; problems: RowProblem[] }> {
  const problems: RowProblem[] = [];
  const repetitionIn = repetitions();
  let batch: { line: number; details: ImportedMatter }[] = [];
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
  await takeIn(tx, batch);
  return { rows: count, problems };
}

/** What an earlier row of the same file has already said: a reference, or a name and a day. */
function repetitions() {
  const firstLines = new Map<string, number>();
  return ({ line, details }: { line: number; details: ImportedMatter }): RowProblem[] => {
    const { reference, first_name, last_name, submitted_on } = details;
    const key = reference || `${first_name} ${last_name} ${submitted_on}`.toLowerCase();
    const what = reference ? "reference" : "name and day submitted";
    const first = firstLines.get(`${what} ${key}`);
    firstLines.set(`${what} ${key}`, first ?? line);
    return first ? [{ line, message: `This ${what} stands on line ${first} already.` }] : [];
  };
}
