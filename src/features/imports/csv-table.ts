import { z } from "zod";
import { fieldErrors, fieldLabel } from "#contract/validation-messages.ts";
import {
  type CsvFile,
  type CsvRecord,
  readCsv,
  type Separator,
} from "#features/imports/csv-file.ts";
import { Refusal } from "#contract/refusal.ts";

/** What the columns of a file hold, one record of the contract a row. */
export interface Layout<Details extends z.ZodObject> {
  details: Details;
  /** What a column may be headed besides the field's own name; case, spaces and signs do not matter. */
  alsoCalled: { [Field in keyof z.input<Details>]?: readonly string[] };
}

/** Something wrong with a row of a file. */
export interface RowProblem {
  line: number;
  /** The field that it is about, null for the row as a whole. */
  field: string | null;
  /** A whole sentence. */
  message: string;
  /** How many rows after it cannot be read either. */
  rowsAfter?: number;
}

export type Row<Details> =
  | { line: number; details: Details; problems?: undefined }
  | { line: number; details?: undefined; problems: RowProblem[] };

export interface Table<Details> {
  separator: Separator;
  /** The headers of all columns, as they are written. */
  headers: string[];
  /** The field that each column holds, null for none. */
  fields: (string | null)[];
  rows: AsyncGenerator<Row<Details>>;
}

/**
 * Read a CSV file whose first row names its columns, in any order. Cells without text count as not
 * given. Throws a Refusal when the columns do not fit the layout; a bad row is answered as such.
 */
export async function readTable<Details extends z.ZodObject>(
  file: CsvFile,
  layout: Layout<Details>,
): Promise<Table<z.output<Details>>> {
  const { separator, records } = await readCsv(file);
  const header = await records.next();
  if (header.done)
    throw new Refusal(422, "The file is empty: its first row must name the columns.");
  if (header.value.problem)
    throw new Refusal(422, `Line ${header.value.line}: ${header.value.problem}`);
  const headers = header.value.values;
  const fields = fieldsOf(headers, layout);
  const rows = rowsOf(records, { separator, headers, fields }, layout.details);
  return { separator, headers, fields, rows };
}

/** The field that each column holds, null for none. */
function fieldsOf<Details extends z.ZodObject>(
  headers: string[],
  { details, alsoCalled }: Layout<Details>,
): (string | null)[] {
  const names = new Map<string, string>();
  for (const field of Object.keys(details.shape)) {
    const others: Record<string, readonly string[] | undefined> = alsoCalled;
    for (const name of [field, ...(others[field] ?? [])]) names.set(normalizedHeader(name), field);
  }
  const fields = headers.map((header) => names.get(normalizedHeader(header)) ?? null);
  const twice = fields.find((field, index) => field && fields.indexOf(field) !== index);
  if (twice) throw new Refusal(422, `Two columns of the file hold the ${words(twice)}.`);
  const missing = Object.entries(details.shape)
    .filter(([field, schema]) => !fields.includes(field) && !z.safeParse(schema, undefined).success)
    .map(([field]) => words(field));
  if (missing.length > 0) {
    const hint =
      headers.length === 1 ? " Columns must be separated by commas, semicolons or tabs." : "";
    throw new Refusal(422, `The file has no column headed ${missing.join(" or ")}.${hint}`);
  }
  return fields;
}

interface Columns {
  separator: Separator;
  headers: string[];
  fields: (string | null)[];
}

async function* rowsOf<Details extends z.ZodObject>(
  records: AsyncGenerator<CsvRecord>,
  { separator, headers, fields }: Columns,
  details: Details,
): AsyncGenerator<Row<z.output<Details>>> {
  let unread: { line: number; rowsAfter: number } | null = null;
  for await (const { line, values, problem, unread: lines } of records) {
    if (lines) {
      unread ??= { line, rowsAfter: -1 };
      unread.rowsAfter += lines.length;
      continue;
    }
    if (problem) {
      yield { line, problems: [{ line, field: null, message: problem }] };
      continue;
    }
    const surplus = values.slice(fields.length).some((value) => value !== "");
    if (values.length < fields.length || surplus) {
      const message = countProblem(values.length, fields.length, separator);
      yield { line, problems: [{ line, field: null, message }] };
      continue;
    }
    const given = fields.flatMap((field, index) =>
      field && values[index] ? [[field, values[index]]] : [],
    );
    const read = details.safeParse(Object.fromEntries(given), { reportInput: true });
    if (read.success) yield { line, details: read.data };
    else {
      const problems = fieldErrors(read.error);
      yield {
        line,
        problems: problems.map(({ path, message }) => ({
          line,
          field: path,
          message: byHeading(message, path, headers[fields.indexOf(path)]),
        })),
      };
    }
  }
  if (unread) yield { line: unread.line, problems: [unreadProblem(unread)] };
}

function unreadProblem({ line, rowsAfter }: { line: number; rowsAfter: number }): RowProblem {
  const rows =
    rowsAfter === 0 ? "this row" : `this row and the ${rowsAfter.toLocaleString("en-US")} after it`;
  const message = `The quotation marks do not match, so ${rows} cannot be read.`;
  return { line, field: null, message, rowsAfter };
}

/** A sentence about a field, with the column's own heading where the contract names the field. */
function byHeading(message: string, field: string, heading: string | undefined): string {
  const named = `${fieldLabel(field)} `;
  return heading && message.startsWith(named)
    ? `${fieldLabel(heading)} ${message.slice(named.length)}`
    : message;
}

const separatorWords: Record<Separator, string> = { ",": "comma", ";": "semicolon", "\t": "tab" };

function countProblem(values: number, columns: number, separator: Separator): string {
  const hint =
    values > columns
      ? `: a value with a ${separatorWords[separator]} in it must stand in quotation marks`
      : "";
  return `There are ${values} values for ${columns} columns${hint}.`;
}

/** "E-mail Address" and "email_address" are the same header. */
function normalizedHeader(header: string): string {
  return header.toLowerCase().replace(/[^\p{L}\p{N}]/gu, "");
}

function words(field: string): string {
  return `"${field.replaceAll("_", " ")}"`;
}
