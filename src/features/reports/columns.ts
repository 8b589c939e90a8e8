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
export const yesOrNo = (condition: Sql): Sql => sql`case when ${condition} then 'Yes' else 'No' end`;

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
