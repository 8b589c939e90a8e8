import type { ExportDefinition } from "#features/exports/definition.ts";
import {
  checks,
  deposits,
  firms,
  journal,
  receivablesAsOfDay,
} from "#features/exports/desk-types.ts";
import {
  debitAdjustments,
  payments,
  receivablesAging,
  subscriptionDebits,
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

/** All types of exports, in the order in which they are offered. */
export const exportTypes: ExportDefinition[] = [
  matters,
  subscriptionDebits,
  subscriptionPayments,
  debitAdjustments,
  attorneys,
  receivablesAging,
  overdueReports,
  checks,
  deposits,
  receivablesAsOfDay,
  journal,
  payments,
  enrolments,
  firms,
  subscriptions,
  mail,
  activity(() => reportLabels),
  reports(() => reportLabels),
];

/** What people call each type. */
export const reportLabels: Record<string, string> = Object.fromEntries(
  exportTypes.map(({ value, label }) => [value, label]),
);

export function exportType(value: string): ExportDefinition | undefined {
  return exportTypes.find((type) => type.value === value);
}
