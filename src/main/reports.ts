import { activityRows } from "#features/activity/activity.rows.ts";
import { attorneyRows } from "#features/attorneys/attorneys.rows.ts";
import { checkRows } from "#features/checks/checks.rows.ts";
import { depositRows } from "#features/deposits/deposits.rows.ts";
import { offerReports } from "#features/exports/offered-reports.ts";
import { reportRows } from "#features/exports/reports.rows.ts";
import { firmRows } from "#features/firms/firms.rows.ts";
import { journalRows } from "#features/journal/journal.rows.ts";
import { debitAdjustments } from "#features/ledger/adjustments.report.ts";
import { debitRows } from "#features/ledger/debits.rows.ts";
import { mailRows } from "#features/mail/mail.rows.ts";
import { matterRows } from "#features/matters/matters.rows.ts";
import { overdueReports } from "#features/matters/overdue.report.ts";
import { paymentRows } from "#features/payments/payments.rows.ts";
import { subscriptionPayments } from "#features/payments/shares.report.ts";
import { receivablesAging } from "#features/receivables/aging.report.ts";
import { receivableRows } from "#features/receivables/receivables.rows.ts";
import { enrolmentRows } from "#features/subscriptions/enrolments.rows.ts";
import { planRows } from "#features/subscriptions/plans.rows.ts";
import { reportOf } from "#list/report-of.ts";

/* In the order in which they are offered. */
offerReports([
  reportOf(matterRows),
  reportOf(debitRows),
  subscriptionPayments,
  debitAdjustments,
  reportOf(attorneyRows),
  receivablesAging,
  overdueReports,
  reportOf(checkRows),
  reportOf(depositRows),
  reportOf(receivableRows),
  reportOf(journalRows),
  reportOf(paymentRows),
  reportOf(enrolmentRows),
  reportOf(firmRows),
  reportOf(planRows),
  reportOf(mailRows),
  reportOf(activityRows),
  reportOf(reportRows),
]);
