import type { ReportDefinition } from "#features/exports/definition.ts";
import {
  debitAdjustments,
  receivablesAging,
  subscriptionDebits,
  subscriptionPayments,
} from "#features/exports/money-types.ts";
import { attorneys, matters, overdueReports } from "#features/exports/panel-types.ts";

/** The table of report types, in the order in which they are offered. */
export const reportTypes: ReportDefinition[] = [
  matters,
  subscriptionDebits,
  subscriptionPayments,
  debitAdjustments,
  attorneys,
  receivablesAging,
  overdueReports,
];

export function reportType(value: string): ReportDefinition | undefined {
  return reportTypes.find((type) => type.value === value);
}
