import { sql } from "kysely";
import type { Admin } from "#kit/domain/actor.ts";
import type { Day } from "#kit/domain/day.ts";
import type { Db } from "#kit/db/database.ts";
import type { FilterNames, Filters, FiltersOf } from "#kit/list/define-list.ts";
import type { ListContext, Sql, SqlPart } from "#kit/list/list-context.ts";

/**
 * Whose export it is and when it is made. Days and times in the file are in the network's time zone; `today` is the
 * day it is made.
 */
export type ExportNetwork = ListContext;

/** The values that an export's SQL may use. */
export interface ExportContext extends ExportNetwork {
  /** The last day of the range; without a range, the day on which the file is made. */
  lastOn: Day;
  /** The filters of the list whose rows it has. */
  filters: Filters;
}

export interface Column {
  value: string;
  label: string;
  tooltip?: string;
  /** One cell of the file. */
  cell: SqlPart<ExportContext>;
  /** What people read instead of the value in the database, if the screen uses other words. */
  words?: (cell: string, context: ExportContext) => string;
}

/** What a date range filters: a day as it is, an instant by its day in the network's time zone. */
export type RangeOf = { instant: Sql } | { day: Sql };

interface TimeFilterMode {
  value: string;
  label: string;
  filters: RangeOf;
}

/** How a report covers exactly the rows of a list. */
export interface ListFilters {
  /** The list's filters, in plain words. */
  words(filters: Filters, names: FilterNames): string;
  /** Its filters, some of which refer to records. */
  records: FiltersOf;
  /** The filters as the list's query has them, in order. Throws 422 as the list's call does. */
  read(given: Record<string, unknown>): Filters;
  /** Throws if a filter refers to another network's record, other than an attorney, firm or plan. */
  refuse(tx: Db, admin: Admin, filters: Filters): Promise<void>;
  /** Which of the report's rows. */
  condition(context: ListContext, filters: Filters): Sql;
}

/** One report type: its choices, and the SQL of its rows. Source: domain rules §7. */
export interface ExportDefinition {
  value: string;
  label: string;
  /** What the file is for, in one sentence. */
  description: string;
  columns: Column[];
  /** Whether the columns can be chosen. If not, the export is requested immediately with all columns. */
  hasChoice: boolean;
  filters: "attorneys"[];
  timeFilterPermissions: "either" | "range" | "none";
  /** The choices offered. */
  timeFilterModes: TimeFilterMode[];
  /** What a range filters if there are no modes: when a row was created, or when it counts. */
  created?: RangeOf;
  /** `from … where …` for the network's rows, with everything that columns and filters use. */
  rows: SqlPart<ExportContext>;
  /** The list whose rows the report can cover. */
  ofList?: ListFilters;
  /** Applies unless the report covers a filtered list's rows. */
  usually?: SqlPart<ExportContext>;
  /** The attorney of a row, for the attorneys filter. */
  attorneyId?: Sql;
  order: Sql;
}

/** Text that people typed, escaped so that a spreadsheet does not run it as a formula. */
export const spreadsheetText = (value: Sql): Sql => sql`spreadsheet_text(${value})`;

/** The words that people read for a code. */
export const inWords = (code: Sql, words: Record<string, string>): Sql =>
  sql`case ${code} ${sql.join(
    Object.entries(words).map(([one, word]) => sql`when ${one} then ${word}`),
    sql` `,
  )} end`;

/** "Yes" or "No". */
export const yesOrNo = (condition: Sql): Sql =>
  sql`case when ${condition} then 'Yes' else 'No' end`;
