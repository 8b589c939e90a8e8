import { z } from "zod";
import { endpoint } from "#kit/contract/endpoint.ts";
import { line } from "#kit/contract/fields.ts";

const count = z.number().int();

/** A problem in a row of a file. Rows are counted as in spreadsheets: the headings are row 1. */
const ImportProblem = z.object({
  row: count,
  /** The heading of its column in the file; null for the whole row. */
  column: z.string().nullable(),
  /** A whole sentence. */
  message: z.string(),
});
export type ImportProblem = z.output<typeof ImportProblem>;

const PlannedRow = z.object({
  row: count,
  becomes: z.enum(["added", "changed", "unchanged"]),
  /** The record's values afterwards, by name; empty ones are absent. */
  values: z.record(z.string(), z.string()),
});
export type PlannedRow = z.output<typeof PlannedRow>;

const AskedColumn = z.object({
  heading: z.string(),
  /** Its first two different values. */
  samples: z.array(z.string()),
  /** The network's answer: a field, or "none" to leave it out; null if there is no answer. */
  holds: z.string().nullable(),
});
export type AskedColumn = z.output<typeof AskedColumn>;

/** The most problems in a preview. The file of refused rows has all. */
export const maxShownProblems = 300;

/** What importing a file would do. */
export const ImportPreview = z.object({
  rows: count,
  added: count,
  changed: count,
  unchanged: count,
  refused: count,
  /** Attorneys whose suspension begins or ends. */
  suspended: count,
  lifted: count,
  /** New firms. */
  firms: count,
  /** Attorneys' email addresses that change once they are confirmed. */
  emailsAsked: count,
  /** The first problems of refused rows. */
  problems: z.array(ImportProblem),
  problemCount: count,
  /** Headings of ignored columns. */
  ignoredColumns: z.array(z.string()),
  /** Columns with unknown headings, which people are asked about. */
  askedColumns: z.array(AskedColumn),
  /** Needed fields without a column: the file is not read until columns are chosen for them. */
  missingFields: z.array(z.string()),
  /** Whole sentences about values read in an unexpected way. */
  notes: z.array(z.string()),
  encoding: z.enum(["utf-8", "windows-1252"]),
  /** Rows with other details than a known record that the network does not let anybody edit. */
  keptDetails: count,
  firstRows: z.array(PlannedRow),
  /** Identifies this file and its effect on each row: the import's `digest`. */
  digest: z.string(),
});
export type ImportPreview = z.output<typeof ImportPreview>;

/** What an import has done. */
export const ImportDone = ImportPreview.pick({
  added: true,
  changed: true,
  unchanged: true,
  refused: true,
  suspended: true,
  lifted: true,
  firms: true,
  emailsAsked: true,
});
export type ImportDone = z.output<typeof ImportDone>;

const FileName = line(200).min(1, "must not be empty");

/** Numbers shortened by a spreadsheet, such as 5.00001E+06: their other digits are lost. */
const shortened = /^\d(?:[.,]\d+)?E[+-]\d+$/i;

/** For a number that identifies a record: it must have all its digits. */
export const hasAllDigits = z.refine<string>((text) => !shortened.test(text), {
  error: ({ input }) =>
    `must be complete: a spreadsheet has shortened it to ${String(input)}. Format the column as text there`,
});

const trueOrFalse = z.codec(
  z.enum(["true", "false"], { error: "must be true or false" }),
  z.boolean(),
  { decode: (text) => text === "true", encode: (value) => (value ? "true" : "false") },
);

/** Surveys have whole questions as headings. */
export const maxHeadingLength = 1000;

const ColumnChoice = z.strictObject({
  heading: line(maxHeadingLength).min(1, "must not be empty"),
  /** A field of the record, or "none". */
  holds: line(50).min(1, "must not be empty"),
});

/** The calls of an import; all but one send the file. */
export function importEndpoints(path: string, what: { records: string }) {
  const common = { method: "POST", fileMediaType: "text/csv" } as const;
  return {
    preview: endpoint({
      ...common,
      path: `${path}/preview`,
      summary: `Preview an import of ${what.records} from a CSV file; nothing is changed`,
      query: z.object({ file_name: FileName }),
      object: ImportPreview,
    }),
    refusedRows: endpoint({
      ...common,
      path: `${path}/refused_rows`,
      summary: `The rows of a CSV file of ${what.records} that cannot be imported, as CSV text with the reasons`,
      query: z.object({ file_name: FileName }),
      object: z.object({ rows: count, csv: z.string() }),
    }),
    columns: endpoint({
      method: "POST",
      path: `${path}/columns`,
      summary: `Set what columns in files of ${what.records} contain; saved for the network`,
      body: z.strictObject({ columns: z.array(ColumnChoice).min(1).max(100) }),
      object: z.object({ saved: count }),
    }),
    importing: endpoint({
      ...common,
      path,
      summary: `Import ${what.records} from a CSV file, as previewed`,
      query: z.object({
        file_name: FileName,
        digest: z.string().regex(/^[0-9a-f]{64}$/, "must be the digest from the preview"),
        skips_bad: trueOrFalse.default(false),
      }),
      object: ImportDone,
    }),
  };
}
export type ImportEndpoints = ReturnType<typeof importEndpoints>;

export const showImportUnderWay = endpoint({
  method: "GET",
  path: "/imports/under_way",
  summary: "The file that is being read or imported for the network, and its progress",
  object: z.object({
    underWay: z
      .object({
        recordType: z.enum(["attorney", "matter"]),
        fileName: z.string(),
        begunBy: z.string(),
        step: z.enum(["reading", "comparing", "saving"]),
        rowsRead: count,
        rowsInAll: count,
      })
      .nullable(),
  }),
});
