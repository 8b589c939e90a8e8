import type { Columns, FiltersOf, ListReport } from "#kit/list/define-list.ts";
import { defineReport } from "#kit/list/define-report.ts";
import type { ListContext } from "#kit/list/list-context.ts";
import type { ExportDefinition } from "#kit/list/report.ts";
import { filtersFor } from "#kit/list/report-filters.ts";
import { type ListRows, rowsFrom } from "#kit/list/rows-of.ts";

/** A list's report: all columns except screen-only ones, of the filtered rows or of all rows. */
export function reportOf<C extends Columns, F extends FiltersOf, R extends ListReport>(
  rows: ListRows<C, F, R>,
): ExportDefinition {
  const { list, networkId } = rows;
  const { usually, ...report } = rows.report;
  return {
    ...defineReport({
      report: list.report,
      columns: list.columns,
      cells: rows.columns,
      networkId,
      from: (context: ListContext) => rowsFrom(rows, context, {}),
      ...report,
    }),
    ...(usually && { usually }),
    ofList: filtersFor(rows),
  };
}
