import { attorneyRows } from "#features/attorneys/attorneys.rows.ts";
import { firmRows } from "#features/firms/firms.rows.ts";
import { debitRows } from "#features/ledger/debits.rows.ts";
import { checks, deposits, journal, receivablesAsOfDay } from "#features/exports/desk-types.ts";
import { offerReports } from "#features/exports/export-types.ts";
import {
  debitAdjustments,
  payments,
  receivablesAging,
  subscriptionPayments,
} from "#features/exports/money-types.ts";
import { activity, mail, reports } from "#features/exports/office-types.ts";
import { matters, overdueReports } from "#features/exports/panel-types.ts";
import { enrolmentRows } from "#features/subscriptions/enrolments.rows.ts";
import { planRows } from "#features/subscriptions/plans.rows.ts";
import { reportOf } from "#list/report-of.ts";

/* In the order in which they are offered. */
offerReports([
  matters,
  reportOf(debitRows),
  subscriptionPayments,
  debitAdjustments,
  reportOf(attorneyRows),
  receivablesAging,
  overdueReports,
  checks,
  deposits,
  receivablesAsOfDay,
  journal,
  payments,
  reportOf(enrolmentRows),
  reportOf(firmRows),
  reportOf(planRows),
  mail,
  activity,
  reports,
]);
