import { sql } from "kysely";
import { attorneyColumns } from "#features/attorneys/columns.list.ts";
import { attorneyCells } from "#features/attorneys/columns.rows.ts";
import { clientColumns, matters } from "#features/matters/matters.list.ts";
import { clientCells, lastReportCells, withLastReport } from "#features/matters/matters.rows.ts";
import { isOverdue } from "#features/suspension/rule.ts";
import { dayOf, number, text } from "#list/define-list.ts";
import type { ExportDefinition } from "#list/report.ts";
import { reportColumns } from "#list/report-of.ts";

const { report_due_on, last_outcome, last_filed_on } = matters.columns;

export const overdueReports: ExportDefinition = {
  value: "overdue_reports",
  label: "Overdue status reports",
  description:
    "The open referrals whose status report was due before the day on which this report is made, the longest overdue first.",
  columns: reportColumns(
    {
      ...clientColumns,
      ...attorneyColumns,
      attorney_phone: text("Attorney phone"),
      referred_on: dayOf("Referred on"),
      report_due_on,
      days_overdue: number("Days overdue"),
      last_outcome,
      last_filed_on,
      suspended_on: dayOf("Attorney suspended on"),
    },
    {
      ...clientCells,
      ...attorneyCells,
      attorney_phone: sql`a.phone`,
      referred_on: sql`m.referred_at`,
      report_due_on: sql`m.report_due_on`,
      days_overdue: ({ today }) => sql`${today}::date - m.report_due_on`,
      ...lastReportCells,
      suspended_on: sql`a.suspended_at`,
    },
  ),
  hasChoice: false,
  filters: [],
  timeFilterPermissions: "none",
  timeFilterModes: [],
  rows: ({ networkId, today }) =>
    sql`from ${withLastReport} where m.network_id = ${networkId} and ${isOverdue(today)}`,
  order: sql`m.report_due_on, m.id`,
};
