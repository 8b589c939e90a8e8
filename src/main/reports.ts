import { activityRows } from "#features/activity/activity.rows.ts";
import { attorneyRows } from "#features/attorneys/attorneys.rows.ts";
import { checkRows } from "#features/checks/checks.rows.ts";
import { depositRows } from "#features/deposits/deposits.rows.ts";
import { firmRows } from "#features/firms/firms.rows.ts";
import { debitRows } from "#features/ledger/debits.rows.ts";
import { journal, receivablesAsOfDay } from "#features/exports/desk-types.ts";
import { paymentRows } from "#features/payments/payments.rows.ts";
import { offerReports } from "#features/exports/export-types.ts";
import {
  debitAdjustments,
  receivablesAging,
  subscriptionPayments,
} from "#features/exports/money-types.ts";
import { reports } from "#features/exports/office-types.ts";
import { mailRows } from "#features/mail/mail.rows.ts";
import { matterRows } from "#features/matters/matters.rows.ts";
import { overdueReports } from "#features/matters/overdue-reports.ts";
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
  receivablesAsOfDay,
  journal,
  reportOf(paymentRows),
  reportOf(enrolmentRows),
  reportOf(firmRows),
  reportOf(planRows),
  reportOf(mailRows),
  reportOf(activityRows),
  reports,
]);
