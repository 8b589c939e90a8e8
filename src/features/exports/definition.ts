import { type RawBuilder, sql } from "kysely";
import type { Day } from "#domain/day.ts";

/** What the SQL of a report may need to know. */
export interface About {
  networkId: number;
  /** The network's, an IANA name: days and times in the file are its own. */
  timeZone: string;
  /** The network's local day on which the file is made. */
  today: Day;
}

type Sql = RawBuilder<unknown>;

/** SQL, or SQL that depends on whose report it is and when. */
export type Part = Sql | ((about: About) => Sql);

export interface Column {
  value: string;
  label: string;
  tooltip?: string;
  /** One cell of the file. */
  cell: Part;
}

/** What a date range filters by. */
export interface TimeFilterMode {
  value: string;
  label: string;
  /** An instant or a day; a day is compared as it is, an instant by the network's local day. */
  filters: { instant: Sql } | { day: Sql };
}

/** One kind of report: what can be asked of it, and the SQL that answers. Source: domain rules §7. */
export interface ReportDefinition {
  value: string;
  label: string;
  /** What the file is for, in a sentence. */
  about: string;
  columns: Column[];
  /** Whether the columns can be chosen; else the report is requested at once, with all of them. */
  hasChoice: boolean;
  filters: "attorneys"[];
  timeFilterPermissions: "either" | "range" | "none";
  /** Offered to choose from. */
  timeFilterModes: TimeFilterMode[];
  /** What a range filters by where there are no modes: the day of creation. */
  createdAt?: Sql;
  /** `from … where …` over the network's rows, with everything that columns and filters name. */
  rows: Part;
  /** Whose a row is, for the attorneys filter. */
  attorneyId?: Sql;
  order: Sql;
}

export function sqlOf(part: Part, about: About): Sql {
  return typeof part === "function" ? part(about) : part;
}

/** What people typed: neutralised where a spreadsheet would run it as a formula. */
export const text = (value: Sql): Sql => sql`spreadsheet_text(${value})`;

/** Dollars as a plain number with two decimals: the product of a whole number and 0.01 has them. */
export const money = (amountCents: Sql): Sql => sql`${amountCents} * 0.01`;

/** The network's local day of an instant, MM/DD/YYYY. */
export const dayOf =
  (instant: Sql) =>
  ({ timeZone }: About): Sql =>
    sql`(${instant} at time zone ${timeZone})::date`;

/** The network's local day and time of an instant, MM/DD/YYYY HH:MM:SS. */
export const timeOf =
  (instant: Sql) =>
  ({ timeZone }: About): Sql =>
    sql`date_trunc('second', ${instant} at time zone ${timeZone})`;

/** "Yes" or "No". */
export const yesOrNo = (condition: Sql): Sql =>
  sql`case when ${condition} then 'Yes' else 'No' end`;

/** A column that names who an attorney (alias `a`) is, for every report that has one. */
export const attorneyColumns: Column[] = [
  { value: "attorney_id", label: "Attorney ID", cell: sql`a.id` },
  {
    value: "attorney_name",
    label: "Attorney",
    cell: text(sql`a.first_name || ' ' || a.last_name`),
  },
  { value: "attorney_email", label: "Attorney email", cell: text(sql`a.email`) },
  {
    value: "bar_number",
    label: "Bar number",
    tooltip: "As it stands on the panel today",
    cell: text(sql`a.bar_number`),
  },
];
