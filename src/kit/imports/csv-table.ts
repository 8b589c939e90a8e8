import type { z } from "zod";
import { fieldErrors, fieldLabel } from "#kit/contract/validation-messages.ts";
import { unguarded } from "#kit/domain/formula-guard.ts";
import {
  type Columns,
  columnsOf,
  type Layout,
  type RememberedColumns,
} from "#kit/imports/columns.ts";
import { type CsvFile, type CsvRecord, readCsv, type Separator } from "#kit/imports/csv-file.ts";
import { joinedParts } from "#kit/imports/field-parts.ts";
import { Refusal } from "#kit/contract/refusal.ts";

/** A problem in a row of a file. */
export interface RowProblem {
  line: number;
  /** Its field; null for the whole row. */
  field: string | null;
  /** A whole sentence. */
  message: string;
  /** How many rows after it also cannot be read. */
  rowsAfter?: number;
}

export type Row<Details> =
  | { line: number; details: Details; problems?: undefined }
  | { line: number; details?: undefined; problems: RowProblem[] };

export interface Table<Details> extends Columns {
  separator: Separator;
  /** The separator named in the first line, if any. */
  namedSeparator: Separator | null;
  /** The first two different values of each unknown column; complete once the rows are read. */
  samples: Map<number, string[]>;
  rows: AsyncGenerator<Row<Details>>;
  /** Close the file, even if it was not read to the end. */
  close: () => Promise<unknown>;
}

/**
 * Read a CSV file whose first row names its columns, in any order. Empty cells count as absent; the apostrophe that our
 * reports put before a formula is removed. Throws a Refusal if there is no such row; bad rows are returned as such.
 * Needed columns may be missing: then no row is good.
 */
export async function readTable<Details extends z.ZodObject>(
  file: CsvFile,
  layout: Layout<Details>,
  remembered: RememberedColumns,
): Promise<Table<z.output<Details>>> {
  const { separator, namedSeparator, records } = await readCsv(file);
  const close = () => records.return(undefined);
  try {
    const header = await records.next();
    if (header.done)
      throw new Refusal(422, "The file is empty. Its first row must name the columns.");
    if (header.value.problem)
      throw new Refusal(422, `Line ${header.value.line}: ${header.value.problem}`);
    const columns = columnsOf(header.value.values, layout, remembered);
    const samples = new Map<number, string[]>();
    const rows = rowsOf(records, { ...columns, separator, samples }, layout.details);
    return { ...columns, separator, namedSeparator, samples, rows, close };
  } catch (problem) {
    await close();
    throw problem;
  }
}

async function* rowsOf<Details extends z.ZodObject>(
  records: AsyncGenerator<CsvRecord>,
  columns: Columns & { separator: Separator; samples: Map<number, string[]> },
  details: Details,
): AsyncGenerator<Row<z.output<Details>>> {
  const { headers, fields, holders, separator } = columns;
  const collect = sampleCollector(columns);
  let unread: { line: number; rowsAfter: number } | null = null;
  for await (const { line, values, problem, unread: lines } of records) {
    if (lines) {
      unread ??= { line, rowsAfter: -1 };
      unread.rowsAfter += lines.length;
      continue;
    }
    const surplus = values.slice(fields.length).some((value) => value !== "");
    const isUneven = values.length < fields.length || surplus;
    if (problem || isUneven) {
      const message = problem ?? countProblem(values.length, fields.length, separator);
      yield { line, problems: [{ line, field: null, message }] };
      continue;
    }
    collect(values);
    const given: Record<string, string> = {};
    for (const [field, among] of holders) {
      const filled = among.find((index) => values[index]);
      if (filled !== undefined) given[field] = unguarded(values[filled] ?? "");
    }
    const read = details.safeParse(joinedParts(given), { reportInput: true });
    if (read.success) yield { line, details: read.data };
    else {
      const problems = fieldErrors(read.error);
      yield {
        line,
        problems: problems.map(({ path, message }) => ({
          line,
          field: path,
          message: withHeading(message, path, headers[fields.indexOf(path)]),
        })),
      };
    }
  }
  if (unread) yield { line: unread.line, problems: [unreadProblem(unread)] };
}

const maxSampleLength = 60;

/** Keeps the first two different values of unknown columns, and of those without a heading. */
function sampleCollector({ headers, asked, samples }: Columns & Pick<Table<unknown>, "samples">) {
  const nameless = [...headers.keys()].filter((index) => headers[index] === "");
  let wanted = [...asked, ...nameless];
  return (values: string[]): void => {
    let isDone = false;
    for (const index of wanted) {
      const value = unguarded(values[index] ?? "").slice(0, maxSampleLength);
      const known = samples.get(index) ?? [];
      if (value === "" || known.includes(value)) continue;
      samples.set(index, [...known, value]);
      isDone ||= known.length === 1;
    }
    if (isDone) wanted = wanted.filter((index) => (samples.get(index)?.length ?? 0) < 2);
  };
}

function unreadProblem({ line, rowsAfter }: { line: number; rowsAfter: number }): RowProblem {
  const rows =
    rowsAfter === 0 ? "this row" : `this row and the ${rowsAfter.toLocaleString("en-US")} after it`;
  const message = `The quotation marks do not match, so ${rows} cannot be read.`;
  return { line, field: null, message, rowsAfter };
}

/** A message about a field, with the column's own heading instead of the field's name. */
function withHeading(message: string, field: string, heading: string | undefined): string {
  const named = `${fieldLabel(field)} `;
  return heading && message.startsWith(named)
    ? `${fieldLabel(heading)} ${message.slice(named.length)}`
    : message;
}

/** The separators' names. */
export const separatorWords: Record<Separator, string> = {
  ",": "comma",
  ";": "semicolon",
  "\t": "tab",
};

function countProblem(values: number, columns: number, separator: Separator): string {
  const hint =
    values > columns
      ? `: a value that contains a ${separatorWords[separator]} must be in quotation marks`
      : "";
  return `There are ${values} values for ${columns} columns${hint}.`;
}
