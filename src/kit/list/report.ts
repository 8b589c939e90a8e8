import { sql } from "kysely";
import type { Admin } from "#kit/domain/actor.ts";
import type { Day } from "#kit/domain/day.ts";
import type { Db } from "#kit/db/database.ts";
import type { FilterNames, Filters, FiltersOf } from "#kit/list/define-list.ts";
import type { ListContext, Sql, SqlPart } from "#kit/list/list-context.ts";

/** Of whom and when an export is made: days and times in the file are the network’s own, `today` that of its making. */
export type ExportNetwork = ListContext;

/** The values that the SQL of an export may use. */
export interface ExportContext extends ExportNetwork {
  /** The last day of the range; where there is none, the day on which the file is made. */
  lastOn: Day;
  /** What the list is filtered by whose rows it has. */
  filters: Filters;
}

export interface Column {
  value: string;
  label: string;
  tooltip?: string;
  /** One cell of the file. */
  cell: SqlPart<ExportContext>;
  /** What people read instead of what the database writes, where its words are those of the screens. */
  words?: (cell: string, context: ExportContext) => string;
}

/** What a date range filters by: a day is compared as it is, an instant by the network's local day. */
export type RangeOf = { instant: Sql } | { day: Sql };

interface TimeFilterMode {
  value: string;
  label: string;
  filters: RangeOf;
}

/** How a report is of exactly the rows of a list. */
export interface ListFilters {
  /** What the list shows, for people. */
  words(filters: Filters, names: FilterNames): string;
  /** Its filters, some of which name records. */
  records: FiltersOf;
  /** The filters as the list's own query has them, in its order. Throws 422 as the list's call does. */
  read(given: Record<string, unknown>): Filters;
  /** Throws where a filter names what is not the network's, beside an attorney, a firm or a plan. */
  refuse(tx: Db, admin: Admin, filters: Filters): Promise<void>;
  /** Which rows of the report they are. */
  condition(context: ListContext, filters: Filters): Sql;
}

/** One type of export: its choices, and the SQL that reads its rows. Source: domain rules §7. */
export interface ExportDefinition {
  value: string;
  label: string;
  /** What the file is for, in a sentence. */
  description: string;
  columns: Column[];
  /** Whether the columns can be chosen; else the export is requested at once, with all of them. */
  hasChoice: boolean;
  filters: "attorneys"[];
  timeFilterPermissions: "either" | "range" | "none";
  /** Offered to choose from. */
  timeFilterModes: TimeFilterMode[];
  /** What a range filters by where there are no modes: when a row was made, or counts. */
  created?: RangeOf;
  /** `from … where …` over the network's rows, with everything that columns and filters name. */
  rows: SqlPart<ExportContext>;
  /** The list whose rows it can be of. */
  ofList?: ListFilters;
  /** Holds for its rows where they are not those of a list as it is filtered. */
  usually?: SqlPart<ExportContext>;
  /** The attorney of a row, for the attorneys filter. */
  attorneyId?: Sql;
  order: Sql;
}

/** Text that people typed, escaped where a spreadsheet would run it as a formula. */
export const spreadsheetText = (value: Sql): Sql => sql`spreadsheet_text(${value})`;

/** What people read for a code that is one of these. */
export const inWords = (code: Sql, words: Record<string, string>): Sql =>
  sql`case ${code} ${sql.join(
    Object.entries(words).map(([one, word]) => sql`when ${one} then ${word}`),
    sql` `,
  )} end`;

/** "Yes" or "No". */
export const yesOrNo = (condition: Sql): Sql =>
  sql`case when ${condition} then 'Yes' else 'No' end`;
