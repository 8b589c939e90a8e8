import { sql } from "kysely";
import type { Column, ColumnKind, Columns, ListReport } from "#kit/list/define-list.ts";
import { type Sql, type SqlPart, sqlOf } from "#kit/list/list-context.ts";
import {
  type Column as ReportColumn,
  type ExportContext,
  type ExportDefinition,
  inWords,
  type RangeOf,
  spreadsheetText,
} from "#kit/list/report.ts";
import type { ColumnSql, ColumnsSql, ReportSql } from "#kit/list/rows-of.ts";

interface ReportDeclaration<C extends Columns, R extends ListReport> extends ReportSql<R> {
  report: R;
  /** In the file's order. */
  columns: C;
  /** The SQL of each column. */
  cells: ColumnsSql<C>;
  /** The rows, after `from`. Outer joins on unique keys: PostgreSQL skips those that no chosen column needs. */
  from: SqlPart<ExportContext>;
  /** The network of a row. */
  networkId: Sql;
  /** Applies to all rows. */
  always?: SqlPart<ExportContext>;
}

/**
 * Declare a report in a `*.report.ts` beside its noun: its choices, columns and SQL. A list's report comes from the
 * list's own declaration (`reportOf`).
 */
export function defineReport<C extends Columns, const R extends ListReport>({
  report,
  columns,
  cells,
  from,
  networkId,
  always = sql`true`,
  times,
  attorneyId,
  order,
}: ReportDeclaration<C, R>): ExportDefinition {
  const ranges: Record<string, RangeOf | undefined> = times;
  const created = ranges["created"];
  return {
    value: report.type,
    label: report.label,
    description: report.description,
    columns: reportColumns(columns, cells),
    hasChoice: !report.isWhole,
    filters: report.byAttorney ? ["attorneys"] : [],
    timeFilterPermissions: report.dates === "as-of" ? "range" : report.dates,
    timeFilterModes: Object.entries(report.timeModes).flatMap(([value, label]) => {
      const filters = ranges[value];
      return filters ? [{ value, label, filters }] : [];
    }),
    ...(created && { created }),
    rows: (context) => sql`from ${sqlOf(from, context)}
      where ${networkId} = ${context.networkId} and ${sqlOf(always, context)}`,
    ...(attorneyId && { attorneyId }),
    order,
  };
}

/** Convert declared columns to report columns, in the same order. */
function reportColumns<C extends Columns>(columns: C, values: ColumnsSql<C>): ReportColumn[] {
  return Object.entries<Column>(columns).flatMap(
    ([value, { kind, label, tooltip, words, screenOnly }]) => {
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
    },
  );
}

const asItIs = (value: Sql) => value;

/** The SQL of one cell in the file. */
const cells: Record<ColumnKind, (value: Sql, context: { timeZone: string }) => Sql> = {
  text: spreadsheetText,
  word: asItIs,
  /** Dollars as a plain number: a whole number times 0.01 has two decimals. */
  money: (amountCents) => sql`${amountCents} * 0.01`,
  number: asItIs,
  day: asItIs,
  "day-of": (instant, { timeZone }) => sql`(${instant} at time zone ${timeZone})::date`,
  "time-of": (instant, { timeZone }) =>
    sql`date_trunc('second', ${instant} at time zone ${timeZone})`,
};
