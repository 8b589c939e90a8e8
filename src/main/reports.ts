import { activityRows } from "#features/activity/activity.rows.ts";
import { checkRows } from "#features/checks/checks.rows.ts";
import { depositRows } from "#features/deposits/deposits.rows.ts";
import { debitRows } from "#features/ledger/debits.rows.ts";
import { firms, journal, receivablesAsOfDay } from "#features/exports/desk-types.ts";
import { paymentRows } from "#features/payments/payments.rows.ts";
import { offerReports } from "#features/exports/export-types.ts";
import {
  debitAdjustments,
  receivablesAging,
  subscriptionPayments,
} from "#features/exports/money-types.ts";
import { reports } from "#features/exports/office-types.ts";
import { attorneys, enrolments, subscriptions } from "#features/exports/panel-types.ts";
import { mailRows } from "#features/mail/mail.rows.ts";
import { matterRows } from "#features/matters/matters.rows.ts";
import { overdueReports } from "#features/matters/overdue-reports.ts";
import { reportOf } from "#list/report-of.ts";

/* In the order in which they are offered. */
offerReports([
  reportOf(matterRows),
  reportOf(debitRows),
  subscriptionPayments,
  debitAdjustments,
  attorneys,
  receivablesAging,
  overdueReports,
  reportOf(checkRows),
  reportOf(depositRows),
  receivablesAsOfDay,
  journal,
  reportOf(paymentRows),
  enrolments,
  firms,
  subscriptions,
  reportOf(mailRows),
  reportOf(activityRows),
  reports,
]);
