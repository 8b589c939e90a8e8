import type { ExportDefinition } from "#kit/list/report.ts";

/** All report types, in the order offered. main lists them (src/main/reports.ts). */
export const exportTypes: ExportDefinition[] = [];

/** Register the report types, once, before serving. */
export function offerReports(types: readonly ExportDefinition[]): void {
  exportTypes.splice(0, exportTypes.length, ...types);
}

/** The label of each report type. */
export const reportLabels = (): Record<string, string> =>
  Object.fromEntries(exportTypes.map(({ value, label }) => [value, label]));

export function exportType(value: string): ExportDefinition | undefined {
  if (exportTypes.length === 0)
    throw new Error("No reports are registered: import src/main/reports.ts.");
  return exportTypes.find((type) => type.value === value);
}
