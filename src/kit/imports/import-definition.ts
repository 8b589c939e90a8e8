import type { z } from "zod";
import type { Layout } from "#kit/imports/columns.ts";
import type { Counting } from "#kit/imports/csv-file.ts";
import type { RowProblem } from "#kit/imports/csv-table.ts";
import type { Db } from "#kit/db/database.ts";
import type { StagingTable } from "#kit/db/staging-tables.ts";

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
  networkId: number;
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
  /** What of the good rows is read otherwise than the file says it, in whole sentences. */
  notes?(tx: Db): Promise<string[]>;
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
