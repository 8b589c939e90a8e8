import { createHash } from "node:crypto";
import { basename } from "node:path";
import { sql } from "kysely";
import type { z } from "zod";
import type { Doer } from "#domain/actor.ts";
import { maxFileRows } from "#contract/file.ts";
import { audit } from "#db/audit.ts";
import { notifyOnCommit } from "#db/changes.ts";
import type { Counting, CsvFile, Separator } from "#features/imports/csv-file.ts";
import { type Layout, readTable, type Row, type RowProblem } from "#features/imports/csv-table.ts";
import type { Db } from "#db/database.ts";
import { Refusal } from "#contract/refusal.ts";
import { analyzeAfterBulkInsert, disableNestedLoops } from "#db/planner-settings.ts";
import { createStagingTable, type StagingTable } from "#db/staging-tables.ts";

export interface ImportFile extends CsvFile {
  /** Import the good rows though others are bad. */
  skipsBad: boolean;
  /** The digest of the preview that somebody has agreed to: nothing else is imported. */
  digest?: string;
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

/** What becomes of a good row, and what its record holds afterwards, in words for people. */
export interface PlannedRow {
  line: number;
  becomes: "added" | "changed" | "unchanged";
  values: Record<string, string>;
}

/** How far an import is. */
export type ImportStep = "reading" | "comparing" | "saving";
export type OnImportProgress = (step: ImportStep, rows: number) => void | Promise<void>;

/** What rows are looked at for: nobody waits for a preview. */
export type Purpose = "import" | "preview";

/**
 * How the rows of a file become records. They are staged in a temporary table of the transaction, so
 * that one statement decides for all of them what they add or change.
 */
export interface ImportDefinition<Details extends z.ZodObject, More extends object> {
  /** What the audit trail calls such a record. */
  recordType: "attorney" | "matter";
  /** Where such records are. */
  table: "attorneys" | "matters";
  layout: Layout<Details>;
  /** What no two rows of a file may both say, with its name and its field. */
  keysOf(details: z.output<Details>): { name: string; field: string; value: string }[];
  /** The temporary table of the rows, and its column with the id of the record that a row matches. */
  stagingTable: { table: StagingTable; knownAs: string };
  insertRows(tx: Db, rows: GoodRow<z.output<Details>>[]): Promise<void>;
  /**
   * The problems of rows that conflict with existing records; to import, these are locked first where others
   * change more of them than a file says.
   */
  findInvalidRows(tx: Db, countsBy: Counting, to: Purpose): Promise<RowProblem[]>;
  removeRows(tx: Db, lines: number[]): Promise<void>;
  /** Set each row's `becomes`: whether its record is added, changed or unchanged. */
  classifyRows(tx: Db): Promise<void>;
  /** The first rows as they will be stored, once they are decided: in the file's order, those with accents first. */
  firstRows(tx: Db, atMost: number): Promise<PlannedRow[]>;
  /** How many rows say something else of a known record than stands, and may not change it. */
  countKeptDetails?(tx: Db): Promise<number>;
  /** Answers how many records changed. */
  updateKnown(tx: Db): Promise<number>;
  addNew(tx: Db): Promise<number>;
  /** Do what follows from the import and answer its counts; with null when nothing is imported. */
  followUp(tx: Db | null): Promise<More>;
  /** The counts that `followUp` would answer, once the rows are classified. */
  previewFollowUp(tx: Db): Promise<More>;
}

/**
 * Import a CSV file in the caller's transaction: records that are known are updated where something
 * differs, others added. An empty cell, like a missing column, changes nothing. When a row is bad
 * nothing is imported, unless bad rows are to be skipped. Throws a Refusal when the file cannot be
 * read or its columns do not fit, or 409 when it would do something else than a preview has shown.
 */
export async function importFile<Details extends z.ZodObject, More extends object>(
  tx: Db,
  doer: Doer,
  file: ImportFile,
  definition: ImportDefinition<Details, More>,
  onProgress: OnImportProgress,
): Promise<ImportReport & More> {
  const { read, problems, skipped, ignoredHeaders } = await stageRows(tx, file, definition, {
    onProgress,
    to: "import",
  });
  const plan = file.digest === undefined ? null : await planOf(tx, file, definition, problems);
  if (plan && plan.digest !== file.digest) throw changedSinceChecked();
  const isImported = skipped === 0 || file.skipsBad;
  const about = { rows: read, problems, ignoredHeaders, isImported };
  if (!isImported) {
    const nothing = { inserted: 0, updated: 0, unchanged: 0, skipped };
    return { ...nothing, ...(await definition.followUp(null)), ...about };
  }
  await onProgress("saving", read);
  const updated = await definition.updateKnown(tx);
  const inserted = await definition.addNew(tx);
  // Somebody may have changed a record between the comparison and the update.
  if (plan && (plan.changed !== updated || plan.added !== inserted)) throw changedSinceChecked();
  await analyzeAfterBulkInsert(tx, updated + inserted, [definition.table, "auditEntries"]);
  const unchanged = read - skipped - updated - inserted;
  const more = await definition.followUp(tx);
  const counts = { inserted, updated, unchanged, skipped, ...more };
  await audit(tx, doer, {
    action: "imported",
    recordType: definition.recordType,
    recordId: null,
    after: { file: basename(file.path), ...counts },
  });
  if (inserted + updated > 0) notifyOnCommit(tx, doer.networkId, null);
  return { ...counts, ...about };
}

const changedSinceChecked = () =>
  new Refusal(
    409,
    "Something has changed since this file was checked, so that importing it would do something else than was shown. Nothing was imported: check the file again.",
  );

export interface ImportPlan {
  separator: Separator;
  rows: number;
  added: number;
  changed: number;
  unchanged: number;
  skipped: number;
  problems: RowProblem[];
  ignoredHeaders: string[];
  /** The header under which the file has each field. */
  headers: Map<string, string>;
  firstRows: PlannedRow[];
  /** How many rows say something else of a known record, and may not change it. */
  keptDetails: number;
  /** Identifies this plan for this file. */
  digest: string;
}

const firstRowsShown = 10;

/** Whether a staged row has no letter that another encoding would show otherwise. */
export const isAscii = (row: string) =>
  sql`octet_length(${sql.ref(row)}::text) = length(${sql.ref(row)}::text)`;

/** What `importFile` would do, in the caller's transaction: nothing is written that stays. */
export async function planImport<Details extends z.ZodObject, More extends object>(
  tx: Db,
  file: CsvFile,
  definition: ImportDefinition<Details, More>,
  onProgress: OnImportProgress,
): Promise<ImportPlan & More> {
  const { read, problems, skipped, ...about } = await stageRows(tx, file, definition, {
    onProgress,
    to: "preview",
  });
  const plan = await planOf(tx, file, definition, problems);
  return {
    ...about,
    ...plan,
    rows: read,
    skipped,
    problems,
    firstRows: await definition.firstRows(tx, firstRowsShown),
    keptDetails: (await definition.countKeptDetails?.(tx)) ?? 0,
    ...(await definition.previewFollowUp(tx)),
  };
}

/** Stage the file's good rows and find what is wrong with the others. */
async function stageRows<Details extends z.ZodObject, More extends object>(
  tx: Db,
  file: CsvFile,
  definition: ImportDefinition<Details, More>,
  { onProgress, to }: { onProgress: OnImportProgress; to: Purpose },
) {
  const { countsBy = "line" } = file;
  const { separator, headers, fields, rows } = await readTable(file, definition.layout);
  await disableNestedLoops(tx);
  await createStagingTable(tx, definition.stagingTable.table);
  const read = await insertGoodRows(tx, { rows, file }, definition, onProgress);
  await onProgress("comparing", read.rows);
  const invalid = await definition.findInvalidRows(tx, countsBy, to);
  await definition.removeRows(
    tx,
    invalid.map(({ line }) => line),
  );
  const problems = [...read.problems, ...invalid].toSorted((a, b) => a.line - b.line);
  const skipped = countRefused(problems);
  refuseTooMany(file, { rows: read.rows, bad: skipped, first: problems[0] });
  return {
    read: read.rows,
    problems,
    skipped,
    separator,
    ignoredHeaders: headers.filter((text, index) => text !== "" && fields[index] === null),
    headers: new Map(
      fields.flatMap((field, index) => (field ? [[field, headers[index] ?? ""]] : [])),
    ),
  };
}

/** How many rows have problems, or follow one and cannot be read either. */
function countRefused(problems: RowProblem[]): number {
  const after = problems.reduce((sum, { rowsAfter = 0 }) => sum + rowsAfter, 0);
  return new Set(problems.map(({ line }) => line)).size + after;
}

/** The counts of staged rows by what becomes of them, and a digest. */
async function planOf<Details extends z.ZodObject, More extends object>(
  tx: Db,
  file: CsvFile,
  definition: ImportDefinition<Details, More>,
  problems: RowProblem[],
) {
  await definition.classifyRows(tx);
  const { table, knownAs } = definition.stagingTable;
  const { rows } = await sql<{
    added: number;
    changed: number;
    unchanged: number;
    fingerprint?: string;
  }>`
    select count(*) filter (where becomes = 'added') as added,
      count(*) filter (where becomes = 'changed') as changed,
      count(*) filter (where becomes = 'unchanged') as unchanged,
      encode(sha256(convert_to(coalesce(string_agg(concat_ws(' ', line, becomes, ${sql.ref(knownAs)}), ',' order by line), ''), 'UTF8')), 'hex') as fingerprint
    from ${sql.table(table)}`.execute(tx);
  const { fingerprint = "", ...counts } = rows[0] ?? { added: 0, changed: 0, unchanged: 0 };
  const digest = createHash("sha256")
    .update(file.bytes ?? "")
    .update(JSON.stringify([file.encoding, counts, fingerprint, problems]))
    .digest("hex");
  return { ...counts, digest };
}

const batchSize = 2000;

/**
 * The most bad rows of an uploaded file that are reported. A few bytes of the file make a bad row, and
 * its problem takes a hundred times as much memory.
 */
export const maxReportedRows = 10_000;

/** Refuse an uploaded file with too many rows or too many bad rows. */
function refuseTooMany(
  { bytes, countsBy }: Pick<CsvFile, "bytes" | "countsBy">,
  found: { rows: number; bad: number; first: RowProblem | undefined },
): void {
  if (!bytes) return;
  if (found.rows > maxFileRows)
    throw new Refusal(
      422,
      `The file has more than ${maxFileRows.toLocaleString("en-US")} rows. Split it into several files.`,
    );
  if (found.bad <= maxReportedRows) return;
  const { line = 0, message = "" } = found.first ?? {};
  throw new Refusal(
    422,
    `More than ${maxReportedRows.toLocaleString("en-US")} rows cannot be imported, so the file is read no further. The first is ${countsBy ?? "line"} ${line}: ${message}`,
  );
}

/** Stage the good rows; answers the problems of the others. */
async function insertGoodRows<Details extends z.ZodObject>(
  tx: Db,
  { rows, file }: { rows: AsyncIterable<Row<z.output<Details>>>; file: CsvFile },
  { keysOf, insertRows }: Pick<ImportDefinition<Details, object>, "keysOf" | "insertRows">,
  onProgress: OnImportProgress,
): Promise<{ rows: number; problems: RowProblem[] }> {
  const problems: RowProblem[] = [];
  const repetitionIn = duplicateFinder(keysOf, file.countsBy ?? "line");
  let batch: GoodRow<z.output<Details>>[] = [];
  let count = 0;
  let bad = 0;
  for await (const row of rows) {
    const found = row.problems ?? repetitionIn(row);
    const rowsAfter = row.problems?.[0]?.rowsAfter ?? 0;
    count += 1 + rowsAfter;
    if (row.problems || found.length > 0) {
      bad += 1 + rowsAfter;
      problems.push(...found);
    } else batch.push(row);
    refuseTooMany(file, { rows: count, bad, first: problems[0] });
    if (count % batchSize > 0) continue;
    if (batch.length > 0) await insertRows(tx, batch);
    batch = [];
    await onProgress("reading", count);
  }
  if (batch.length > 0) await insertRows(tx, batch);
  return { rows: count, problems };
}

/** Finds rows that repeat a key of an earlier row of the file. */
function duplicateFinder<Details extends z.ZodObject>(
  keysOf: ImportDefinition<Details, object>["keysOf"],
  countsBy: Counting,
) {
  const firstLines = new Map<string, number>();
  return ({ line, details }: GoodRow<z.output<Details>>): RowProblem[] =>
    keysOf(details).flatMap(({ name, field, value }) => {
      const first = firstLines.get(`${name} ${value}`);
      firstLines.set(`${name} ${value}`, first ?? line);
      const message = `This ${name} stands on ${countsBy} ${first} already.`;
      return first ? [{ line, field, message }] : [];
    });
}
