import { sql } from "kysely";
import { attorneyColumns } from "#panel/attorney-columns.list.ts";
import { attorneyCells } from "#panel/attorney-columns.rows.ts";
import { clientColumns, matters } from "#referrals/matters/matters.list.ts";
import {
  clientCells,
  lastReportCells,
  matterRows,
  withLastReport,
} from "#referrals/matters/matters.rows.ts";
import { isOverdue } from "#referrals/suspension/rule.ts";
import { dayOf, number, text } from "#kit/list/define-list.ts";
import { defineReport } from "#kit/list/define-report.ts";

const { referred_on, report_due_on, last_outcome, last_filed_on } = matters.columns;

/** Open referrals whose status report is late. Source: domain rules §6. */
export const overdueReports = defineReport({
  report: {
    type: "overdue_reports",
    label: "Overdue status reports",
    description:
      "Open referrals whose status report was due before the day of this report, longest overdue first.",
    dates: "none",
    timeModes: {},
    byAttorney: false,
    isWhole: true,
  },
  columns: {
    ...clientColumns,
    ...attorneyColumns,
    attorney_phone: text("Attorney phone"),
    referred_on,
    report_due_on,
    days_overdue: number("Days overdue"),
    last_outcome,
    last_filed_on,
    suspended_on: dayOf("Attorney suspended on"),
  },
  cells: {
    ...clientCells,
    ...attorneyCells,
    attorney_phone: sql`a.phone`,
    referred_on: matterRows.columns.referred_on,
    report_due_on: matterRows.columns.report_due_on,
    days_overdue: ({ today }) => sql`${today}::date - m.report_due_on`,
    ...lastReportCells,
    suspended_on: sql`a.suspended_at`,
  },
  from: withLastReport,
  networkId: sql`m.network_id`,
  always: ({ today }) => isOverdue(today),
  times: {},
  order: sql`m.report_due_on, m.id`,
});
