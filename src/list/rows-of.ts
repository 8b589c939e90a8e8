import { sql } from "kysely";
import type { z } from "zod";
import type { Admin } from "#domain/actor.ts";
import type { PlainDate } from "#domain/calendar.ts";
import type { Page } from "#contract/page.ts";
import { invalid } from "#contract/refusal.ts";
import type { Db } from "#db/database.ts";
import { jsonQueryOrThrow, type RawJson } from "#db/json-query.ts";
import { asSorted } from "#db/sort.ts";
import type {
  Column,
  Columns,
  FilterNames,
  Filters,
  FiltersOf,
  ListDeclaration,
  ListReport,
} from "#list/define-list.ts";
import { allOf, type ListContext, type Sql } from "#list/list-context.ts";
import { namesOfFilters } from "#list/record-names.ts";
import type { SqlPart as ReportSqlPart } from "#list/report.ts";

/** SQL, or SQL that depends on the network and the day. */
type SqlPart = Sql | ((context: ListContext) => Sql);

const sqlOf = (part: SqlPart, context: ListContext): Sql =>
  typeof part === "function" ? part(context) : part;

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
  ? R["dates"] extends "none"
    ? never
    : "created"
  : keyof R["timeModes"] & string;

/** A list without filters may still have the page and the order. */
type Wanted<F extends FiltersOf> = keyof F extends never
  ? object
  : z.output<z.ZodObject<{ [K in keyof F]: F[K]["schema"] }>>;

/** One of the values that rows are ordered by. */
interface OrderTerm {
  value: Sql;
  isDescending?: boolean;
  /** No row lacks it: an index serves both ways. */
  isNeverNull?: boolean;
}

interface RowsOf<C extends Columns, F extends FiltersOf, R extends ListReport> {
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
  item?: SqlPart;
  /** What `item` reads, where that is not `from`: the rows, joined with what else their JSON has. */
  itemFrom?: Sql;
  /** More of what is found, for `totals` and `more`, and for `item` as `shown`: columns by their names. */
  found?: Record<string, SqlPart>;
  /** Sums that are not a column's, and what else the call answers: values in JSON, over the rows of `found`. */
  totals?: Record<string, Sql>;
  more?: (context: ListContext) => Record<string, Sql>;
  /**
   * For a list of many rows without sums, or with few: the rows of a page are read in order, and not all of them
   * first. Not where it is searched: the database only estimates how rare a word is (docs/decisions/018).
   */
  isReadInOrder?: (wanted: Wanted<F>) => boolean;
  /** Throws where a filter names what is not the network's, beside the records of its kinds. */
  refuse?: (tx: Db, admin: Admin, wanted: Wanted<F>) => Promise<void>;
  report: {
    /** Where the report has other rows, or joins sums of all at once and not row by row: under the same aliases. */
    from?: ReportSqlPart;
    /** What a choice of a range filters by: an instant, by the network's days, or a day. */
    times: Record<TimesOf<R>, { instant: Sql } | { day: Sql }>;
    /** Holds for the rows of a report that are not those of the list as it is filtered. */
    usually?: SqlPart;
    /** The attorney of a row, where a report can be of one. */
    attorneyId?: Sql;
    order: Sql;
  };
}

export interface ListRows<
  C extends Columns = Columns,
  F extends FiltersOf = FiltersOf,
  R extends ListReport = ListReport,
> extends RowsOf<C, F, R> {
  list: ListDeclaration<C, F, R>;
}

/** The SQL of a declared list: of each of its columns and filters. */
export function rowsOf<C extends Columns, F extends FiltersOf, R extends ListReport>(
  list: ListDeclaration<C, F, R>,
  rows: RowsOf<C, F, R>,
): ListRows<C, F, R> {
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

interface Paged {
  page: number;
  per_page: number;
  sort?: string | undefined;
  after?: number | undefined;
}

/**
 * One page of a list with the sums of all, as JSON of its call. Throws 404 where a filter names a record of another
 * network, and 422 where `after` goes with another page or order.
 */
export async function listPage<C extends Columns, F extends FiltersOf, R extends ListReport>(
  tx: Db,
  rows: ListRows<C, F, R>,
  { admin, today }: { admin: Admin; today: PlainDate },
  wanted: Wanted<F> & Paged,
): Promise<RawJson> {
  const { page, per_page, after } = wanted;
  if (after !== undefined && (page > 1 || wanted.sort !== undefined))
    throw invalid(
      "after",
      "Rows after another come in the order of their ids: leave out page and sort.",
    );
  const names = await knownNames(tx, rows, admin, wanted);
  const context = { ...admin, today: today.toString() };
  const order = orderOf(rows, context, wanted);
  const sums = sumsOf(rows, context);
  const from = rowsFrom(rows, context, wanted);
  const foundNames = Object.keys(rows.found ?? {});
  const found = [
    sql`${rows.key} as id`,
    ...order.map(({ value }, at) => sql`${value} as ${sql.ref(`order_${at}`)}`),
    ...sums.map(({ name, value }) => sql`${value} as ${sql.ref(`total_${name}`)}`),
    ...Object.entries(rows.found ?? {}).map(
      ([name, part]) => sql`${sqlOf(part, context)} as ${sql.ref(name)}`,
    ),
  ];
  const shown = ordered(
    order.map((term, at) => ({ ...term, value: sql.ref(`order_${at}`) })),
    sql`id`,
  );
  const totals = {
    ...Object.fromEntries(sums.map(({ name, sum }) => [name, sum])),
    ...rows.totals,
  };
  const how = rows.isReadInOrder?.(wanted) ? sql`not materialized` : sql`materialized`;
  return await jsonQueryOrThrow(
    tx,
    sql<{ body: string }>`
      with found as ${how} (
        select ${sql.join(found)} from ${from} where ${isListed(rows, context, wanted)}
      ), shown as materialized (
        select ${sql.join(["id", ...foundNames].map((name) => sql.ref(name)))}, row_number() over (order by ${shown}) as at
        from found
        where ${after === undefined ? sql`true` : sql`id > ${after}::bigint`}
        order by ${shown} limit ${per_page} offset ${(page - 1) * per_page}
      )
      select ${jsonOf({
        total: sql`count(*)`,
        page: sql`${page}::int`,
        perPage: sql`${per_page}::int`,
        ...(Object.keys(totals).length > 0 && { totals: jsonOf(totals) }),
        names: sql`${JSON.stringify(names)}::json`,
        ...rows.more?.(context),
        items: sql`(select coalesce(json_agg(${sqlOf(rows.item ?? rows.key, context)} order by shown.at), '[]')
          from ${rows.itemFrom ?? from} join shown on shown.id = ${rows.key}
          where ${rows.networkId} = ${admin.networkId})`,
      })}::text as body
      from found`,
  );
}

/** The same of a list without sums whose rows more than SQL makes: `read` answers those of some ids, in any order. */
export async function listPageOf<
  C extends Columns,
  F extends FiltersOf,
  R extends ListReport,
  Item extends { id: number },
>(
  tx: Db,
  rows: Omit<ListRows<C, F, R>, "item">,
  who: { admin: Admin; today: PlainDate },
  wanted: Wanted<F> & Paged,
  read: (ids: number[]) => Promise<Item[]>,
) {
  const { text } = await listPage(tx, rows, who, wanted);
  const { items: ids, ...page } = JSON.parse(text) as PageOfIds; // as the query builds it
  const items = new Map((await read(ids)).map((item) => [item.id, item]));
  return { ...page, items: ids.flatMap((id) => items.get(id) ?? []) };
}

interface PageOfIds extends Page<number> {
  names: Record<string, string>;
}

/** All rows of the network as a JSON array, without filters: of a list that has few. */
export async function listWhole<C extends Columns, F extends FiltersOf, R extends ListReport>(
  tx: Db,
  rows: ListRows<C, F, R>,
  { admin, today }: { admin: Admin; today: PlainDate },
  { sort }: Pick<Paged, "sort">,
): Promise<RawJson> {
  const context = { ...admin, today: today.toString() };
  const order = orderOf(rows, context, { sort } as never); // no filter is set
  return await jsonQueryOrThrow(
    tx,
    sql<{ body: string }>`
      select coalesce(json_agg(${sqlOf(rows.item ?? rows.key, context)}
        order by ${ordered(order, rows.key)}), '[]')::text as body
      from ${rowsFrom(rows, context, {})} where ${rows.networkId} = ${admin.networkId}`,
  );
}

/** What stands after `order by`: the terms, and then what is unique. */
const ordered = (terms: OrderTerm[], key: Sql): Sql =>
  sql.join([
    ...terms.map(
      ({ value, isDescending, isNeverNull }) =>
        sql`${value}${isDescending ? sql` desc` : sql``}${isNeverNull ? sql`` : sql` nulls last`}`,
    ),
    terms.at(-1)?.isDescending ? sql`${key} desc` : key,
  ]);

/** The names of the records that filters name. Throws where one is not the network's, as the list's page does. */
export async function knownNames<C extends Columns, F extends FiltersOf, R extends ListReport>(
  tx: Db,
  { list, refuse }: ListRows<C, F, R>,
  admin: Admin,
  wanted: Wanted<F>,
): Promise<FilterNames> {
  await refuse?.(tx, admin, wanted);
  return await namesOfFilters(tx, admin.networkId, recordsIn(list.filters, wanted));
}

const jsonOf = (fields: Record<string, Sql>): Sql =>
  sql`json_build_object(${sql.join(Object.entries(fields).flatMap(([name, value]) => [sql.lit(name), value]))})`;

/** Each column with a sum: its value in a row, and the sum over all. */
function sumsOf<C extends Columns, F extends FiltersOf, R extends ListReport>(
  { list, columns }: ListRows<C, F, R>,
  context: ListContext,
) {
  return Object.entries<Column>(list.columns).flatMap(([name, { total, kind }]) => {
    if (total === undefined) return [];
    const sum = sql`coalesce(sum(${sql.ref(`total_${total}`)}), 0)::bigint`;
    return [
      {
        name: total,
        value: valueOf((columns as Partial<Record<string, ColumnSql>>)[name], context),
        sum: kind === "money" ? sql`dollars(${sum})` : sum,
      },
    ];
  });
}

/** What the rows are ordered by before their ids; one without a value comes last either way. */
function orderOf<C extends Columns, F extends FiltersOf, R extends ListReport>(
  { list, columns, usual }: ListRows<C, F, R>,
  context: ListContext,
  wanted: Wanted<F> & Pick<Paged, "sort" | "after">,
): OrderTerm[] {
  const { sort, after } = wanted;
  if (after !== undefined) return [];
  if (sort === undefined) return usual(wanted);
  const isDescending = sort.startsWith("-");
  const by = isDescending ? sort.slice(1) : sort;
  const found = Object.entries<Column>(list.columns).find(([, column]) => column.sort === by);
  if (!found) throw new RangeError(`The list ${list.name} is not sorted by ${by}.`);
  const [name, { kind }] = found;
  const column = (columns as Partial<Record<string, ColumnSql>>)[name];
  const own = column !== undefined && "value" in column ? column : undefined;
  const value = valueOf(column, context);
  const values = own?.sort?.(context) ?? [kind === "text" ? asSorted(value) : value];
  return values.map((term) => ({
    value: term,
    isDescending,
    ...(own?.isNeverNull && { isNeverNull: true }),
  }));
}

/** A column's value, by SQL. */
function valueOf(column: ColumnSql | undefined, context: ListContext): Sql {
  if (column === undefined) throw new RangeError("A column has no SQL."); // the types see to it
  return sqlOf("value" in column ? column.value : column, context);
}

/** The ids of records that filters name. */
function recordsIn(filters: FiltersOf, wanted: object): Filters {
  return Object.fromEntries(
    Object.entries(filters).flatMap(([name, { of }]) => {
      const id = of && (wanted as Record<string, unknown>)[name];
      return typeof id === "number" ? [[name, String(id)]] : [];
    }),
  );
}
