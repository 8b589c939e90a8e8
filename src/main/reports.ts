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
import { activity, mail, reports } from "#features/exports/office-types.ts";
import {
  attorneys,
  enrolments,
  matters,
  overdueReports,
  subscriptions,
} from "#features/exports/panel-types.ts";
import { reportOf } from "#list/report-of.ts";

/* In the order in which they are offered. */
offerReports([
  matters,
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
  mail,
  activity,
  reports,
]);
