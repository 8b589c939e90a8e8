import { sql } from "kysely";
import type { z } from "zod";
import type { Admin } from "#kit/domain/actor.ts";
import type { PlainDate } from "#kit/domain/calendar.ts";
import type { Page } from "#kit/contract/page.ts";
import { invalid } from "#kit/contract/refusal.ts";
import type { Db } from "#kit/db/database.ts";
import { type JsonRow, jsonQueryOrThrow, type RawJson } from "#kit/db/json-query.ts";
import { asSorted } from "#kit/db/sort.ts";
import type {
  Column,
  Columns,
  FiltersOf,
  ListDeclaration,
  ListReport,
} from "#kit/list/define-list.ts";
import type { ListAnswer } from "#kit/list/list-endpoint.ts";
import { type ListContext, type Sql, sqlOf } from "#kit/list/list-context.ts";
import {
  type ColumnSql,
  isListed,
  knownNames,
  type ListRows,
  type OrderTerm,
  rowsFrom,
  type Wanted,
} from "#kit/list/rows-of.ts";

interface Paged {
  page: number;
  per_page: number;
  sort?: string | undefined;
  after?: number | undefined;
}

type Schemas<Values> = { [Name in keyof Values]: z.ZodType<Values[Name]> };

type PageAnswer<List extends ListDeclaration, Item, Totals, More> = z.output<
  ListAnswer<List, z.ZodType<Item>, Schemas<More>, Schemas<Totals>>
>;

/**
 * One page of a list with the totals of all pages, as the call's JSON. Throws 404 if a filter refers to another
 * network's record, and 422 if `after` comes with a page or a sort.
 */
export async function listPage<
  C extends Columns,
  F extends FiltersOf,
  R extends ListReport,
  Item,
  Totals,
  More,
>(
  tx: Db,
  rows: ListRows<C, F, R, Item, Totals, More>,
  { admin, today }: { admin: Admin; today: PlainDate },
  wanted: Wanted<F> & Paged,
): Promise<RawJson<PageAnswer<ListDeclaration<C, F, R>, Item, Totals, More>>> {
  const { page, per_page, after } = wanted;
  if (after !== undefined && (page > 1 || wanted.sort !== undefined))
    throw invalid("after", "Rows after a given id come in id order. Leave out page and sort.");
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
    sql<JsonRow<PageAnswer<ListDeclaration<C, F, R>, Item, Totals, More>>>`
      with found as ${how} (
        select ${sql.join(found)} from ${from} where ${isListed(rows, context, wanted)}
      ), shown as materialized (
        select *, row_number() over () as at from (
          select ${sql.join(["id", ...foundNames].map((name) => sql.ref(name)))} from found
          where ${after === undefined ? sql`true` : sql`id > ${after}::bigint`}
          order by ${shown} limit ${per_page} offset ${(page - 1) * per_page}) as page
      )
      select ${jsonOf({
        total: sql`count(*)`,
        page: sql`${page}::int`,
        perPage: sql`${per_page}::int`,
        ...(Object.keys(totals).length > 0 && { totals: jsonOf(totals) }),
        names: sql`${JSON.stringify(names)}::json`,
        ...rows.more?.(context, wanted),
        items: sql`(select coalesce(json_agg(${sqlOf(rows.item ?? rows.key, context)} order by shown.at), '[]')
          from ${rows.itemFrom ?? from} join shown on shown.id = ${rows.key}
          where ${rows.networkId} = ${admin.networkId})`,
      })}::text as body
      from found`,
  );
}

/**
 * As `listPage`, for a list without totals whose rows need more than SQL: `read` answers the rows of some ids, in
 * any order.
 */
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

/** All rows of the network as a JSON array, without filters, for a short list. */
export async function listWhole<C extends Columns, F extends FiltersOf, R extends ListReport, Item>(
  tx: Db,
  rows: ListRows<C, F, R, Item>,
  { admin, today }: { admin: Admin; today: PlainDate },
  { sort }: Pick<Paged, "sort">,
): Promise<RawJson<Item[]>> {
  const context = { ...admin, today: today.toString() };
  const order = orderSql(rows, context, { sort } as never); // no filter is set
  return await jsonQueryOrThrow(
    tx,
    sql<JsonRow<Item[]>>`
      select coalesce(json_agg(${sqlOf(rows.item ?? rows.key, context)}
        order by ${order}), '[]')::text as body
      from ${rowsFrom(rows, context, {})} where ${rows.networkId} = ${admin.networkId}`,
  );
}

/** The `order by` of a list's rows: as requested, or the default. */
export function orderSql<C extends Columns, F extends FiltersOf, R extends ListReport>(
  rows: ListRows<C, F, R>,
  context: ListContext,
  wanted: Wanted<F> & Pick<Paged, "sort" | "after">,
): Sql {
  return ordered(orderOf(rows, context, wanted), rows.key);
}

/** The terms, then the unique key. */
const ordered = (terms: OrderTerm[], key: Sql): Sql =>
  sql.join([
    ...terms.map(
      ({ value, isDescending, isNeverNull }) =>
        sql`${value}${isDescending ? sql` desc` : sql``}${isNeverNull ? sql`` : sql` nulls last`}`,
    ),
    terms.at(-1)?.isDescending ? sql`${key} desc` : key,
  ]);

const jsonOf = (fields: Record<string, Sql>): Sql =>
  sql`json_build_object(${sql.join(Object.entries(fields).flatMap(([name, value]) => [sql.lit(name), value]))})`;

/** Each column with a total: its value in a row, and the total over all rows. */
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

/** What the rows are ordered by before their ids. Rows without a value come last in both directions. */
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
  if (!found) throw new RangeError(`The list ${list.name} cannot be sorted by ${by}.`);
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
  if (column === undefined) throw new RangeError("A column has no SQL."); // the types prevent this
  return sqlOf("value" in column ? column.value : column, context);
}
