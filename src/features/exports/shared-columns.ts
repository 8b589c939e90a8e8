import { sql } from "kysely";
import { attorneyColumns as declared } from "#features/attorneys/columns.list.ts";
import { attorneyCells } from "#features/attorneys/columns.rows.ts";
import { type Column, money } from "#list/report.ts";
import { reportColumns } from "#list/report-of.ts";

/** The columns that identify an attorney (alias `a`), for every report that has one. */
export const attorneyColumns = reportColumns(declared, attorneyCells);

/** Overdue amounts by age, of rows with the alias `owed`. */
export const overdueColumns = (owed: "owed" | "r"): Column[] =>
  [
    { value: "days_1_to_30", label: "1–30 days", column: "to_30_cents" },
    { value: "days_31_to_60", label: "31–60 days", column: "to_60_cents" },
    { value: "days_61_to_90", label: "61–90 days", column: "to_90_cents" },
    { value: "over_90_days", label: "Over 90 days", column: "over_90_cents" },
  ].map(({ column, ...named }) => ({ ...named, cell: money(sql.ref(`${owed}.${column}`)) }));
