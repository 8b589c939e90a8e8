import { sql } from "kysely";
import {
  type ColumnKind,
  type Columns,
  type FiltersOf,
  type ListReport,
  listWords,
} from "#list/define-list.ts";
import { type ListContext, type Sql, sqlOf } from "#list/list-context.ts";
import { filtersObject } from "#list/list-endpoint.ts";
import {
  type Column as ReportColumn,
  dayOf,
  type ExportDefinition,
  inWords,
  money,
  text,
  timeOf,
} from "#list/report.ts";
import { ofList } from "#list/report-filters.ts";
import {
  type ColumnSql,
  type ColumnsSql,
  isListed,
  type ListRows,
  rowsFrom,
} from "#list/rows-of.ts";

/** A list's report: all columns that are not for the screen alone, of the rows as they are filtered, or of all. */
export function reportOf<C extends Columns, F extends FiltersOf, R extends ListReport>(
  rows: ListRows<C, F, R>,
): ExportDefinition {
  const { list, networkId, refuse } = rows;
  const from = rows.report.from ?? ((context: ListContext) => rowsFrom(rows, context, {}));
  const { type, label, description, dates, timeModes, byAttorney } = list.report;
  const times: Record<string, ExportDefinition["timeFilterModes"][number]["filters"] | undefined> =
    rows.report.times;
  const created = times["created"];
  return {
    value: type,
    label,
    description,
    columns: reportColumns(list.columns, rows.columns),
    hasChoice: true,
    filters: byAttorney ? ["attorneys"] : [],
    timeFilterPermissions: dates,
    timeFilterModes: Object.entries(timeModes).flatMap(([value, words]) => {
      const filters = times[value];
      return filters ? [{ value, label: words, filters }] : [];
    }),
    ...(created && "instant" in created && { createdAt: created.instant }),
    rows: (context) => sql`from ${sqlOf(from, context)} where ${networkId} = ${context.networkId}`,
    ...(rows.report.usually && { usually: rows.report.usually }),
    ofList: ofList(
      (filters, names) => listWords(list, filters, names),
      { query: filtersObject(list) },
      (context, wanted) => isListed(rows, context, wanted as never), // as the query decodes it
      {
        records: list.filters,
        refuse: refuse && ((tx, admin, wanted) => refuse(tx, admin, wanted as never)),
      },
    ),
    ...(rows.report.attorneyId && { attorneyId: rows.report.attorneyId }),
    order: rows.report.order,
  };
}

/** Declared columns as those of a report, in their order. */
export function reportColumns<C extends Columns>(
  columns: C,
  values: ColumnsSql<C>,
): ReportColumn[] {
  return Object.entries(columns).flatMap(([value, { kind, label, tooltip, words, screenOnly }]) => {
    const given = (values as Partial<Record<string, ColumnSql>>)[value];
    if (screenOnly || given === undefined) return [];
    const column = "value" in given ? given : { value: given };
    return [
      {
        value,
        label,
        ...(tooltip !== undefined && { tooltip }),
        cell: (context) => {
          const cell = sqlOf(column.value, context);
          return cells[kind](words ? inWords(cell, words) : cell, context);
        },
        ...(column.words && { words: column.words }),
      },
    ];
  });
}

const asItIs = (value: Sql) => value;

/** A cell of a report's file. */
const cells: Record<ColumnKind, (value: Sql, context: { timeZone: string }) => Sql> = {
  text,
  word: asItIs,
  money,
  number: asItIs,
  day: asItIs,
  "day-of": (instant, context) => dayOf(instant)(context),
  "time-of": (instant, context) => timeOf(instant)(context),
};
