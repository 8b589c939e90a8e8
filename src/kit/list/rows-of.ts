import type { z } from "zod";
import { sql } from "kysely";
import type { Admin } from "#kit/domain/actor.ts";
import type { Db } from "#kit/db/database.ts";
import type { JsonSql } from "#kit/db/shape-json.ts";
import type {
  Columns,
  FilterNames,
  FiltersOf,
  ListDeclaration,
  ListReport,
} from "#kit/list/define-list.ts";
import { allOf, type ListContext, type Sql, type SqlPart } from "#kit/list/list-context.ts";
import { namesOfRecords } from "#kit/list/record-names.ts";
import type { ExportContext, RangeOf } from "#kit/list/report.ts";

/** A column's SQL value, or its options. */
export type ColumnSql =
  | SqlPart
  | {
      value: SqlPart;
      /** What to sort by instead, such as a last name and then a first name. */
      sort?: (context: ListContext) => Sql[];
      isNeverNull?: boolean;
      /** In a report: what people read instead of the value in the database. */
      words?: (cell: string, context: ListContext) => string;
    };

/** The SQL of each column that is in a report, sorted or totaled. */
export type ColumnsSql<C extends Columns> = {
  [K in keyof C as C[K] extends { screenOnly: true } ? Needed<C[K], K> : K]: ColumnSql;
};

type Needed<Column, Name> = Column extends { sort: string } | { total: string } ? Name : never;

/** What a report's range can filter. */
type TimesOf<R extends ListReport> = keyof R["timeModes"] extends never
  ? R["dates"] extends "none" | "as-of"
    ? never
    : "created"
  : keyof R["timeModes"] & string;

/** The SQL that a report needs beyond rows and columns. */
export interface ReportSql<R extends ListReport> {
  /** What each range mode filters. */
  times: Record<TimesOf<R>, RangeOf>;
  /** The attorney of a row, if the report can be limited to one. */
  attorneyId?: Sql;
  order: Sql;
}

/** A list without filters still has a page and an order. */
export type Wanted<F extends FiltersOf> = keyof F extends never
  ? object
  : z.output<z.ZodObject<{ [K in keyof F]: F[K]["schema"] }>>;

/** One value that rows are ordered by. */
export interface OrderTerm {
  value: Sql;
  isDescending?: boolean;
  /** Never null, so one index serves both directions. */
  isNeverNull?: boolean;
}

type JsonOf<Values> = { [Name in keyof Values]: JsonSql<Values[Name]> };

/** `Item`, `Totals` and `More`: what the call answers for a row, as totals not tied to a column, and beyond them. */
interface RowsOf<C extends Columns, F extends FiltersOf, R extends ListReport, Item, Totals, More> {
  /**
   * The rows, after `from`. Outer joins on unique keys only, as many as columns and filters need: PostgreSQL skips
   * those that a query does not use. `wanted`: the call's filters, to limit what is added up; empty in a report.
   */
  from: Sql | ((context: ListContext, wanted: Partial<Wanted<F>>) => Sql);
  /** The network of a row. */
  networkId: Sql;
  /** The id of a row, unique. */
  key: Sql;
  columns: ColumnsSql<C>;
  /** The rows that a filter lets through; false: all. */
  filters: {
    [K in keyof F]: (
      value: NonNullable<z.output<F[K]["schema"]>>,
      context: ListContext,
    ) => Sql | false;
  };
  /** Applies to all rows, or depends on several filters together. */
  always?: (wanted: Wanted<F>, context: ListContext) => Sql | false;
  /** The default order; the key comes last. */
  usual: (wanted: Wanted<F>) => OrderTerm[];
  /** A row's JSON, as in the call's contract; none if more than SQL makes it (`listPageOf`). */
  item?: JsonSql<Item> | ((context: ListContext) => JsonSql<Item>);
  /** What `item` reads if not `from`: the rows, joined with what else the JSON needs. */
  itemFrom?: Sql;
  /** More columns of the rows found, by name: for `totals` and `more`, and for `item` as `shown`. */
  found?: Record<string, SqlPart>;
  /** Totals not tied to a column, and anything else the call answers: JSON values over the rows of `found`. */
  totals?: JsonOf<Totals>;
  more?: (context: ListContext, wanted: Wanted<F>) => JsonOf<More>;
  /**
   * For a long list without totals, or with few: a page's rows are read in order, without reading all rows first.
   * Not while searching: the database only estimates how rare a word is (docs/decisions/018).
   */
  isReadInOrder?: (wanted: Wanted<F>) => boolean;
  /** Throws if a filter refers to another network's record, beyond the kinds in `RecordKind`. */
  refuse?: (tx: Db, admin: Admin, wanted: Wanted<F>) => Promise<void>;
  report: ReportSql<R> & {
    /** If the report has other rows, or joins all totals together instead of row by row. Same aliases. */
    from?: SqlPart<ExportContext>;
    /** Applies unless the report covers a filtered list's rows. */
    usually?: SqlPart;
  };
}

export interface ListRows<
  C extends Columns = Columns,
  F extends FiltersOf = FiltersOf,
  R extends ListReport = ListReport,
  Item = unknown,
  Totals = unknown,
  More = unknown,
> extends RowsOf<C, F, R, Item, Totals, More> {
  list: ListDeclaration<C, F, R>;
}

/** The SQL of a declared list, for each column and filter. */
export function rowsOf<
  C extends Columns,
  F extends FiltersOf,
  R extends ListReport,
  Item = never,
  Totals = object,
  More = object,
>(
  list: ListDeclaration<C, F, R>,
  rows: RowsOf<C, F, R, Item, Totals, More>,
): ListRows<C, F, R, Item, Totals, More> {
  return { list, ...rows };
}

/** The `from` of a list's rows. */
export const rowsFrom = <C extends Columns, F extends FiltersOf, R extends ListReport>(
  { from }: ListRows<C, F, R>,
  context: ListContext,
  wanted: Partial<Wanted<F>>,
): Sql => (typeof from === "function" ? from(context, wanted) : from);

/** The `where` of a list's rows. */
export function isListed<C extends Columns, F extends FiltersOf, R extends ListReport>(
  { networkId, filters, always }: ListRows<C, F, R>,
  context: ListContext,
  wanted: Wanted<F>,
): Sql {
  const asked = Object.entries(filters).map(([name, condition]) => {
    const value = (wanted as Record<string, unknown>)[name];
    return value === undefined || value === "" ? false : (condition as Condition)(value, context);
  });
  return allOf([sql`${networkId} = ${context.networkId}`, ...asked, always?.(wanted, context)]);
}

type Condition = (value: unknown, context: ListContext) => Sql | false;

/** The names of records that filters refer to. Throws if one is another network's, as the list's page does. */
export async function knownNames<C extends Columns, F extends FiltersOf, R extends ListReport>(
  tx: Db,
  { list, refuse }: ListRows<C, F, R>,
  admin: Admin,
  wanted: Wanted<F>,
): Promise<FilterNames> {
  await refuse?.(tx, admin, wanted);
  return await namesOfRecords(tx, admin.networkId, list.filters, wanted);
}
