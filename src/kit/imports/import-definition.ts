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

/** The effect of a good row, and its record's values afterwards, as shown to people. */
export interface PlannedRow {
  line: number;
  becomes: "added" | "changed" | "unchanged";
  values: Record<string, string>;
}

/** An import's current step. */
export type ImportStep = "reading" | "comparing" | "saving";
export type OnImportProgress = (step: ImportStep, rows: number) => void | Promise<void>;

/** Why rows are examined. A preview locks nothing. */
export type Purpose = "import" | "preview";

/**
 * How a file's rows become records. They are staged in a temporary table of the transaction, so that one statement
 * decides for all of them what they add or change.
 */
export interface ImportDefinition<Details extends z.ZodObject, More extends object> {
  networkId: number;
  /** The record's type in the audit trail. */
  recordType: "attorney" | "matter";
  /** The records' table. */
  table: "attorneys" | "matters";
  layout: Layout<Details>;
  /** Values that must be unique in the file, with their names and fields. */
  keysOf(details: z.output<Details>): { name: string; field: string; value: string }[];
  /** The staging table, and its column with the id of the record that a row matches. */
  stagingTable: { table: StagingTable; knownAs: string };
  insertRows(tx: Db, rows: GoodRow<z.output<Details>>[]): Promise<void>;
  /**
   * The problems of rows that conflict with existing records. An import first locks those records if others change more of
   * them than a file does.
   */
  findInvalidRows(tx: Db, countsBy: Counting, to: Purpose): Promise<RowProblem[]>;
  removeRows(tx: Db, lines: number[]): Promise<void>;
  /** Set each row's `becomes`: its record is added, changed or unchanged. */
  classifyRows(tx: Db): Promise<void>;
  /** The first rows as they will be stored: in the file's order, those with accents first. */
  firstRows(tx: Db, atMost: number): Promise<PlannedRow[]>;
  /** Whole sentences about good rows that are read in an unexpected way. */
  notes?(tx: Db): Promise<string[]>;
  /** How many rows have other details than a known record, and may not change it. */
  countKeptDetails?(tx: Db): Promise<number>;
  /** Returns how many records changed. */
  updateKnown(tx: Db): Promise<number>;
  addNew(tx: Db): Promise<number>;
  /** Do what follows from the import and return its counts; null if nothing is imported. */
  followUp(tx: Db | null): Promise<More>;
  /** The counts that `followUp` would return, once the rows are classified. */
  previewFollowUp(tx: Db): Promise<More>;
}
