import type { RawBuilder } from "kysely";
import type { Column, Part } from "#features/reports/columns.ts";
import {
  debitAdjustments,
  receivablesAging,
  subscriptionDebits,
  subscriptionPayments,
} from "#features/reports/money-types.ts";
import { attorneys, matters, overdueReports } from "#features/reports/panel-types.ts";

/** What a date range filters by. */
export interface TimeFilterMode {
  value: string;
  label: string;
  /** An instant or a day; a day is compared as it is, an instant by the network's local day. */
  filters: { instant: RawBuilder<unknown> } | { day: RawBuilder<unknown> };
}

/** One kind of report: what can be asked of it, and the SQL that answers. Source: domain rules §7. */
export interface ReportDefinition {
  value: string;
  label: string;
  /** What the file is for, in a sentence. */
  about: string;
  columns: Column[];
  /** Whether the columns can be chosen; else the report is requested at once, with all of them. */
  hasChoice: boolean;
  filters: "attorneys"[];
  timeFilterPermissions: "either" | "range" | "none";
  /** Offered to choose from. */
  timeFilterModes: TimeFilterMode[];
  /** What a range filters by where there are no modes: the day of creation. */
  createdAt?: RawBuilder<unknown>;
  /** `from … where …` with everything that columns and filters name, the network's rows alone. */
  rows: Part;
  /** The rows' own table with the conditions that decide how many there are: to count them. */
  counted: Part;
  /** Which of them are one attorney's. */
  attorneyId?: RawBuilder<unknown>;
  order: RawBuilder<unknown>;
}

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
