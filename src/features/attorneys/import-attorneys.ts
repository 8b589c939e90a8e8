import { basename } from "node:path";
import type { Doer } from "#server/actor.ts";
import { audit } from "#server/audit.ts";
import type { Encoding } from "#server/csv-file.ts";
import { type Layout, readTable, type Row, type RowProblem } from "#server/csv-table.ts";
import type { Db } from "#server/database.ts";
import { inTransaction } from "#server/transaction.ts";
import { AttorneyDetails } from "#features/attorneys/contract.ts";
import {
  addNewcomers,
  findUnfitRows,
  makeWaitingRoom,
  removeRows,
  takeIn,
  updateKnown,
} from "#features/attorneys/imported-rows.ts";

export interface AttorneyFile {
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
  /** Headers of columns that hold nothing of an attorney's. */
  ignoredHeaders: string[];
  /** False: rows are bad, and nothing was written. */
  isImported: boolean;
}

const layout: Layout<typeof AttorneyDetails> = {
  details: AttorneyDetails,
  alsoCalled: {
    first_name: ["given name"],
    last_name: ["surname", "family name"],
    email: ["email address"],
    phone: ["phone number", "telephone"],
    bar_number: ["bar", "bar no", "bar id"],
    address_line_1: ["address", "address 1", "street"],
    address_line_2: ["address 2"],
    address_city: ["city"],
    address_region: ["state", "region", "address state"],
    address_zip: ["zip", "zip code", "postal code", "address zip code"],
  },
};

/**
 * Import a panel from a CSV file in one transaction: attorneys known by bar number or email are
 * updated where something differs, others added. An empty cell, like a missing column, leaves what
 * stands. When a row is bad nothing is imported, unless bad rows are to be skipped. Throws a Refusal
 * when the file cannot be read or its columns do not fit.
 */
export async function importAttorneys(
  db: Db,
  doer: Doer,
  file: AttorneyFile,
  onProgress: (rows: number) => void = () => undefined,
): Promise<ImportReport> {
  return await inTransaction(db, async (tx) => {
    const { ignored, rows } = await readTable(file, layout);
    await makeWaitingRoom(tx);
    const read = await takeInGoodRows(tx, rows, onProgress);
    const unfit = await findUnfitRows(tx, doer.networkId);
    await removeRows(tx, unfit);
    const problems = [...read.problems, ...unfit].toSorted((a, b) => a.line - b.line);
    const skipped = new Set(problems.map(({ line }) => line)).size;
    const isImported = skipped === 0 || file.skipsBad;
    const counts = { inserted: 0, updated: 0, unchanged: 0, skipped };
    if (isImported) {
      counts.updated = await updateKnown(tx, doer);
      counts.inserted = await addNewcomers(tx, doer);
      counts.unchanged = read.rows - skipped - counts.updated - counts.inserted;
      await audit(tx, doer, {
        action: "imported",
        recordType: "attorney",
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
  rows: AsyncIterable<Row<AttorneyDetails>>,
  onProgress: (rows: number) => void,
): Promise<{ rows: number; problems: RowProblem[] }> {
  const problems: RowProblem[] = [];
  const repetitionIn = repetitions();
  let batch: { line: number; details: AttorneyDetails }[] = [];
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

/** What an earlier row of the same file has already said: an email address or a bar number. */
function repetitions() {
  const firstLines = new Map<string, number>();
  return ({ line, details }: { line: number; details: AttorneyDetails }): RowProblem[] => {
    const keys = [
      ["email address", details.email],
      ["bar number", details.bar_number],
    ].filter(([, value]) => value !== "");
    return keys.flatMap(([what, value]) => {
      const first = firstLines.get(`${what} ${value}`);
      firstLines.set(`${what} ${value}`, first ?? line);
      return first ? [{ line, message: `This ${what} stands on line ${first} already.` }] : [];
    });
  };
}
