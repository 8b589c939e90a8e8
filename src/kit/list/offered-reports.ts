import type { ExportDefinition } from "#kit/list/report.ts";

/** All types of reports, in the order in which they are offered: main lists them (src/main/reports.ts). */
export const exportTypes: ExportDefinition[] = [];

/** Offer reports, once, before anything is served. */
export function offerReports(types: readonly ExportDefinition[]): void {
  exportTypes.splice(0, exportTypes.length, ...types);
}

/** What people call each type. */
export const reportLabels = (): Record<string, string> =>
  Object.fromEntries(exportTypes.map(({ value, label }) => [value, label]));

export function exportType(value: string): ExportDefinition | undefined {
  if (exportTypes.length === 0)
    throw new Error("No reports are offered: import src/main/reports.ts.");
  return exportTypes.find((type) => type.value === value);
}
