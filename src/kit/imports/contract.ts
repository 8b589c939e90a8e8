import { z } from "zod";
import { endpoint } from "#kit/contract/endpoint.ts";
import { line } from "#kit/contract/fields.ts";

const count = z.number().int();

/** Something wrong with a row of a file. Rows are counted as spreadsheets count them, headings being row 1. */
const ImportProblem = z.object({
  row: count,
  /** The heading of the column that it is about, as the file writes it; null for the row as a whole. */
  column: z.string().nullable(),
  /** A whole sentence. */
  message: z.string(),
});
export type ImportProblem = z.output<typeof ImportProblem>;

const PlannedRow = z.object({
  row: count,
  becomes: z.enum(["added", "changed", "unchanged"]),
  /** What the record holds afterwards, by what each value is; what is empty is not there. */
  values: z.record(z.string(), z.string()),
});
export type PlannedRow = z.output<typeof PlannedRow>;

const AskedColumn = z.object({
  heading: z.string(),
  /** Its first two different values. */
  samples: z.array(z.string()),
  /** What the network has said that it holds: a field, or "none" where it is left out; null where nothing was said. */
  holds: z.string().nullable(),
});
export type AskedColumn = z.output<typeof AskedColumn>;

/** The most problems of a file that a preview lists; the file of refused rows has all of them. */
export const maxShownProblems = 300;

/** What importing a file would do. */
export const ImportPreview = z.object({
  rows: count,
  added: count,
  changed: count,
  unchanged: count,
  refused: count,
  /** Attorneys whose suspension begins or ends with it. */
  suspended: count,
  lifted: count,
  /** Firms that are new with it. */
  firms: count,
  /** Email addresses of attorneys that change once they are confirmed by mail. */
  emailsAsked: count,
  /** The first of the rows that are refused. */
  problems: z.array(ImportProblem),
  problemCount: count,
  /** Headings of columns that are left out. */
  ignoredColumns: z.array(z.string()),
  /** The columns that the product does not know by their headings: what they hold can be said. */
  askedColumns: z.array(AskedColumn),
  /** Fields that a file must hold and this one does not: it is not read before a column is said to hold each. */
  missingFields: z.array(z.string()),
  /** What was read otherwise than somebody may expect, in whole sentences. */
  notes: z.array(z.string()),
  encoding: z.enum(["utf-8", "windows-1252"]),
  /** Rows that say something else of a known record than stands, where the network permits no editing: it stays. */
  keptDetails: count,
  firstRows: z.array(PlannedRow),
  /** Names this file and what would become of each of its rows: `digest` of the import. */
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

/** Numbers that a spreadsheet has shortened, such as 5.00001E+06: their other digits are lost. */
const shortened = /^\d(?:[.,]\d+)?E[+-]\d+$/i;

/** Of a number that tells one record from another: it has all its digits. */
export const isWrittenOut = z.refine<string>((text) => !shortened.test(text), {
  error: ({ input }) =>
    `must be written out: a spreadsheet has shortened it to ${String(input)}. Format the column as text there`,
});

const trueOrFalse = z.codec(
  z.enum(["true", "false"], { error: "must be true or false" }),
  z.boolean(),
  { decode: (text) => text === "true", encode: (value) => (value ? "true" : "false") },
);

/** Surveys have whole questions for headings. */
export const maxHeadingLength = 1000;

const ColumnChoice = z.strictObject({
  heading: line(maxHeadingLength).min(1, "must not be empty"),
  /** A field of the record, or "none". */
  holds: line(50).min(1, "must not be empty"),
});

/** The calls of an import; all but one are sent the file. */
export function importEndpoints(path: string, what: { records: string }) {
  const common = { method: "POST", fileMediaType: "text/csv" } as const;
  return {
    preview: endpoint({
      ...common,
      path: `${path}/preview`,
      summary: `What importing ${what.records} from a CSV file would do; nothing is changed`,
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
      summary: `Say what columns of files of ${what.records} hold; it is remembered for the network`,
      body: z.strictObject({ columns: z.array(ColumnChoice).min(1).max(100) }),
      object: z.object({ saved: count }),
    }),
    importing: endpoint({
      ...common,
      path,
      summary: `Import ${what.records} from a CSV file, as its preview has shown`,
      query: z.object({
        file_name: FileName,
        digest: z
          .string()
          .regex(/^[0-9a-f]{64}$/, "must be the digest that the preview has answered"),
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
  summary: "The file that is being read or imported for the network, and how far it is",
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
