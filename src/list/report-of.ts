import { type Columns, type FiltersOf, type ListReport, listWords } from "#list/define-list.ts";
import { defineReport } from "#list/define-report.ts";
import type { ListContext } from "#list/list-context.ts";
import { filtersObject } from "#list/list-endpoint.ts";
import type { ExportDefinition } from "#list/report.ts";
import { ofList } from "#list/report-filters.ts";
import { isListed, type ListRows, rowsFrom } from "#list/rows-of.ts";

/** A list's report: all columns that are not for the screen alone, of the rows as they are filtered, or of all. */
export function reportOf<C extends Columns, F extends FiltersOf, R extends ListReport>(
  rows: ListRows<C, F, R>,
): ExportDefinition {
  const { list, networkId, refuse } = rows;
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
    ofList: ofList(
      (filters, names) => listWords(list, filters, names),
      { query: filtersObject(list) },
      (context, wanted) => isListed(rows, context, wanted as never), // as the query decodes it
      {
        records: list.filters,
        refuse: refuse && ((tx, admin, wanted) => refuse(tx, admin, wanted as never)),
      },
    ),
  };
}
