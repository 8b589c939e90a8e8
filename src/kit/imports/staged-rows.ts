import { sql } from "kysely";
import type { z } from "zod";
import { maxFileRows } from "#kit/contract/file.ts";
import {
  columnLetters,
  headingKey,
  missingRefusal,
  type RememberedColumns,
} from "#kit/imports/columns.ts";
import type { Counting, CsvFile } from "#kit/imports/csv-file.ts";
import { readTable, type Row, type RowProblem, type Table } from "#kit/imports/csv-table.ts";
import type {
  GoodRow,
  ImportDefinition,
  OnImportProgress,
  Purpose,
} from "#kit/imports/import-definition.ts";
import { notesOf } from "#kit/imports/import-notes.ts";
import { rememberedColumns } from "#kit/imports/remembered-columns.ts";
import type { Db } from "#kit/db/database.ts";
import { Refusal } from "#kit/contract/refusal.ts";
import { disableNestedLoops } from "#kit/db/planner-settings.ts";
import { createStagingTable } from "#kit/db/staging-tables.ts";

/** A column with an unknown heading. */
export interface AskedColumn {
  heading: string;
  /** Its first two different values. */
  samples: string[];
  /** The network's answer: a field, or "none"; null if there is no answer. */
  holds: string | null;
}

/** Stage the file's good rows and find the others' problems. */
export async function stageRows<Details extends z.ZodObject, More extends object>(
  tx: Db,
  file: CsvFile,
  definition: ImportDefinition<Details, More>,
  { onProgress, to }: { onProgress: OnImportProgress; to: Purpose },
) {
  const remembered = await rememberedColumns(tx, definition);
  const table = await readTable(file, definition.layout, remembered);
  try {
    return await stageTable(tx, { file, table, remembered }, definition, { onProgress, to });
  } finally {
    await table.close();
  }
}

async function stageTable<Details extends z.ZodObject, More extends object>(
  tx: Db,
  {
    file,
    table,
    remembered,
  }: { file: CsvFile; table: Table<z.output<Details>>; remembered: RememberedColumns },
  definition: ImportDefinition<Details, More>,
  { onProgress, to }: { onProgress: OnImportProgress; to: Purpose },
) {
  const { countsBy = "line" } = file;
  const { headers, fields, rows, asked, missing } = table;
  const isIncomplete = missing.length > 0;
  const canBeAsked = to === "preview" && asked.length > 0 && fields.some((field) => field !== null);
  if (isIncomplete && !canBeAsked) throw missingRefusal(table);
  await disableNestedLoops(tx);
  await createStagingTable(tx, definition.stagingTable.table);
  const read = isIncomplete
    ? await readSamples(rows)
    : await insertGoodRows(tx, { rows, file }, definition, onProgress);
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
    fields,
    missing,
    ignoredHeaders: ignoredHeaders(table),
    notes: [...notesOf(table), ...((await definition.notes?.(tx)) ?? [])],
    asked: asked.slice(0, maxAskedColumns).map((index) => ({
      heading: headers[index] ?? "",
      samples: table.samples.get(index) ?? [],
      holds: remembered.get(headingKey(headers[index] ?? "")) ?? null,
    })),
    headers: new Map(
      fields.flatMap((field, index) => (field ? [[field, headers[index] ?? ""]] : [])),
    ),
  };
}

/** The most columns to ask about. */
const maxAskedColumns = 100;

/** Headings of ignored columns; a column with values and no heading is named by its letters. */
function ignoredHeaders({ headers, fields, samples }: Table<unknown>): string[] {
  return headers.flatMap((text, index) => {
    if (fields[index] !== null) return [];
    if (text !== "") return [text];
    return samples.has(index) ? [`column ${columnLetters(index)}, which has no heading`] : [];
  });
}

const rowsLookedAt = 200;

/** Read some rows for samples if needed columns are missing. */
async function readSamples(
  rows: AsyncGenerator,
): Promise<{ rows: number; problems: RowProblem[] }> {
  let count = 0;
  for await (const _ of rows) {
    count += 1;
    if (count === rowsLookedAt) break;
  }
  return { rows: 0, problems: [] };
}

/** How many rows have problems, or follow one and also cannot be read. */
function countRefused(problems: RowProblem[]): number {
  const after = problems.reduce((sum, { rowsAfter = 0 }) => sum + rowsAfter, 0);
  return new Set(problems.map(({ line }) => line)).size + after;
}

const batchSize = 2000;

/**
 * The most bad rows of an uploaded file that are reported. A few bytes of the file make a bad row, whose problem takes a
 * hundred times as much memory.
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
    `More than ${maxReportedRows.toLocaleString("en-US")} rows cannot be imported, so reading stopped. The first is ${countsBy ?? "line"} ${line}: ${message}`,
  );
}

/** Stage the good rows. Returns the problems of the others. */
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

/** Finds rows that repeat a key of an earlier row. */
function duplicateFinder<Details extends z.ZodObject>(
  keysOf: ImportDefinition<Details, object>["keysOf"],
  countsBy: Counting,
) {
  const firstLines = new Map<string, number>();
  return ({ line, details }: GoodRow<z.output<Details>>): RowProblem[] =>
    keysOf(details).flatMap(({ name, field, value }) => {
      const first = firstLines.get(`${name} ${value}`);
      firstLines.set(`${name} ${value}`, first ?? line);
      const message = `This ${name} is already on ${countsBy} ${first}.`;
      return first ? [{ line, field, message }] : [];
    });
}
/** Whether two numbers, of digits only, differ only in leading zeros, which spreadsheets drop. */
export const sameButForZeros = (known: string, said: string) =>
  sql`(${sql.ref(known)} <> ${sql.ref(said)} and ${sql.ref(said)} ~ '^[0-9]+$'
    and ltrim(${sql.ref(known)}, '0') = ltrim(${sql.ref(said)}, '0'))`;

/** Whether a staged row has only letters that look the same in every encoding. */
export const isAscii = (row: string) =>
  sql`octet_length(${sql.ref(row)}::text) = length(${sql.ref(row)}::text)`;
