import { activityRows } from "#office/activity/activity.rows.ts";
import { attorneyRows } from "#panel/attorneys.rows.ts";
import { checkRows } from "#payments/checks/checks.rows.ts";
import { depositRows } from "#payments/deposits/deposits.rows.ts";
import { offerReports } from "#kit/list/offered-reports.ts";
import { reportRows } from "#office/reports/reports.rows.ts";
import { firmRows } from "#panel/firms/firms.rows.ts";
import { journalRows } from "#dues/ledger/journal/journal.rows.ts";
import { debitAdjustments } from "#dues/ledger/adjustments.report.ts";
import { debitRows } from "#dues/ledger/debits.rows.ts";
import { mailRows } from "#outgoing/mail/mail.rows.ts";
import { matterRows } from "#referrals/matters/matters.rows.ts";
import { overdueReports } from "#referrals/matters/overdue.report.ts";
import { paymentRows } from "#payments/payments.rows.ts";
import { subscriptionPayments } from "#payments/shares.report.ts";
import { receivablesAging } from "#dues/ledger/receivables/aging.report.ts";
import { receivableRows } from "#dues/ledger/receivables/receivables.rows.ts";
import { enrolmentRows } from "#dues/plans/enrolments.rows.ts";
import { planRows } from "#dues/plans/plans.rows.ts";
import { reportOf } from "#kit/list/report-of.ts";

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
