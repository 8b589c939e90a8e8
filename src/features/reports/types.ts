import type { ReportDefinition } from "#features/reports/definition.ts";
import {
  debitAdjustments,
  receivablesAging,
  subscriptionDebits,
  subscriptionPayments,
} from "#features/reports/money-types.ts";
import { attorneys, matters, overdueReports } from "#features/reports/panel-types.ts";

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
