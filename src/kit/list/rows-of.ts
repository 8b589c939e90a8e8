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

/** A column's value, or what there is to say of it. */
export type ColumnSql =
  | SqlPart
  | {
      value: SqlPart;
      /** Where it is sorted by something else, such as a last name and then a first one. */
      sort?: (context: ListContext) => Sql[];
      isNeverNull?: boolean;
      /** In a report: what people read instead of what the database writes. */
      words?: (cell: string, context: ListContext) => string;
    };

/** The SQL of each column that a report has, or by which the list is sorted or added up. */
export type ColumnsSql<C extends Columns> = {
  [K in keyof C as C[K] extends { screenOnly: true } ? Needed<C[K], K> : K]: ColumnSql;
};

type Needed<Column, Name> = Column extends { sort: string } | { total: string } ? Name : never;

/** The ways in which a report's range filters. */
type TimesOf<R extends ListReport> = keyof R["timeModes"] extends never
  ? R["dates"] extends "none" | "as-of"
    ? never
    : "created"
  : keyof R["timeModes"] & string;

/** The SQL of every report, beside its rows and columns. */
export interface ReportSql<R extends ListReport> {
  /** What a choice of a range filters by. */
  times: Record<TimesOf<R>, RangeOf>;
  /** The attorney of a row, where a report can be of one. */
  attorneyId?: Sql;
  order: Sql;
}

/** A list without filters may still have the page and the order. */
export type Wanted<F extends FiltersOf> = keyof F extends never
  ? object
  : z.output<z.ZodObject<{ [K in keyof F]: F[K]["schema"] }>>;

/** One of the values that rows are ordered by. */
export interface OrderTerm {
  value: Sql;
  isDescending?: boolean;
  /** No row lacks it: an index serves both ways. */
  isNeverNull?: boolean;
}

type JsonOf<Values> = { [Name in keyof Values]: JsonSql<Values[Name]> };

/** `Item`, `Totals` and `More`: what the call answers for a row, as sums that are no column's, and beside them. */
interface RowsOf<C extends Columns, F extends FiltersOf, R extends ListReport, Item, Totals, More> {
  /**
   * The rows, after `from`. Outer joins on unique keys only, as many as columns and filters name: PostgreSQL leaves
   * out those that a query does not need. `wanted`: the call's filters, by which rows that are added up can be fewer; a
   * report has none here.
   */
  from: Sql | ((context: ListContext, wanted: Partial<Wanted<F>>) => Sql);
  /** Whose rows they are. */
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
  /** Holds for all rows of the list, or by several of its filters together. */
  always?: (wanted: Wanted<F>, context: ListContext) => Sql | false;
  /** The order without a sort; the key comes last. */
  usual: (wanted: Wanted<F>) => OrderTerm[];
  /** A row's JSON, as the call's contract has it; none where more than SQL makes it (`listPageOf`). */
  item?: JsonSql<Item> | ((context: ListContext) => JsonSql<Item>);
  /** What `item` reads, where that is not `from`: the rows, joined with what else their JSON has. */
  itemFrom?: Sql;
  /** More of what is found, for `totals` and `more`, and for `item` as `shown`: columns by their names. */
  found?: Record<string, SqlPart>;
  /** Sums that are not a column's, and what else the call answers: values in JSON, over the rows of `found`. */
  totals?: JsonOf<Totals>;
  more?: (context: ListContext, wanted: Wanted<F>) => JsonOf<More>;
  /**
   * For a list of many rows without sums, or with few: the rows of a page are read in order, and not all of them
   * first. Not where it is searched: the database only estimates how rare a word is (docs/decisions/018).
   */
  isReadInOrder?: (wanted: Wanted<F>) => boolean;
  /** Throws where a filter names what is not the network's, beside the records of its kinds. */
  refuse?: (tx: Db, admin: Admin, wanted: Wanted<F>) => Promise<void>;
  report: ReportSql<R> & {
    /** Where the report has other rows, or joins sums of all at once and not row by row: under the same aliases. */
    from?: SqlPart<ExportContext>;
    /** Holds for the rows of a report that are not those of the list as it is filtered. */
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

/** The SQL of a declared list: of each of its columns and filters. */
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

/** The relation of a list's rows. */
export const rowsFrom = <C extends Columns, F extends FiltersOf, R extends ListReport>(
  { from }: ListRows<C, F, R>,
  context: ListContext,
  wanted: Partial<Wanted<F>>,
): Sql => (typeof from === "function" ? from(context, wanted) : from);

/** The condition that the rows of a list meet. */
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

/** The names of the records that filters name. Throws where one is not the network's, as the list's page does. */
export async function knownNames<C extends Columns, F extends FiltersOf, R extends ListReport>(
  tx: Db,
  { list, refuse }: ListRows<C, F, R>,
  admin: Admin,
  wanted: Wanted<F>,
): Promise<FilterNames> {
  await refuse?.(tx, admin, wanted);
  return await namesOfRecords(tx, admin.networkId, list.filters, wanted);
}
