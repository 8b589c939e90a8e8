import { z } from "zod";
import { type Endpoint, endpoint } from "#kit/contract/endpoint.ts";
import { Money } from "#kit/contract/fields.ts";
import { PageQuery, pageOf } from "#kit/contract/page.ts";
import { type SortBy, sortBy } from "#kit/contract/sort.ts";
import type { FiltersOf, ListDeclaration } from "#kit/list/define-list.ts";

type AnyList = Pick<ListDeclaration, "columns" | "filters" | "title">;

type SortOf<List extends AnyList> = {
  [K in keyof List["columns"]]: List["columns"][K] extends { sort: infer Name extends string }
    ? Name
    : never;
}[keyof List["columns"]];

/** The names that a list can be sorted by. */
export const sortNames = <List extends AnyList>({ columns }: List): SortOf<List>[] =>
  Object.values(columns).flatMap(({ sort }) => sort ?? []) as never; // the columns' own names

/** The totals of columns over all pages, by name. */
type SumsOf<List extends AnyList> = {
  [
    K in keyof List["columns"] as List["columns"][K] extends { total: infer Name extends string }
      ? Name
      : never
  ]: List["columns"][K] extends { kind: "money" } ? typeof Money : z.ZodInt;
};

type SchemasOf<Of extends FiltersOf> = { [K in keyof Of]: Of[K]["schema"] };

type InQuery<Of extends FiltersOf> = {
  [K in keyof Of as Of[K] extends { inPath: true } ? never : K]: Of[K]["schema"];
};

const rowKey = "must be the id of the last row that was read, or 0 to begin";

/** Which rows: a page, or those after a row already read. */
const After = z
  .codec(z.string().regex(/^\d{1,15}$/, rowKey), z.number(), { decode: Number, encode: String })
  .optional();

export type ListQuery<List extends AnyList> = z.ZodObject<
  (typeof PageQuery)["shape"] &
    InQuery<List["filters"]> & {
      after: typeof After;
      sort: z.ZodOptional<z.ZodType<SortBy<SortOf<List>>, SortBy<SortOf<List>>>>;
    }
>;

/** The totals over all pages, if the list has any. */
type TotalsOf<List extends AnyList, Totals extends z.ZodRawShape> = keyof (SumsOf<List> &
  Totals) extends never
  ? Record<never, never>
  : { totals: z.ZodObject<SumsOf<List> & Totals> };

/** One page of a list: its rows, the totals over all pages, and the names of records that filters refer to. */
export type ListAnswer<
  List extends AnyList,
  Item extends z.ZodType,
  More extends z.ZodRawShape = Record<never, never>,
  Totals extends z.ZodRawShape = Record<never, never>,
> = z.ZodObject<
  ReturnType<typeof pageOf<Item>>["shape"] & {
    names: typeof Names;
  } & TotalsOf<List, Totals> &
    More
>;

/** The list's filters as a request body names them, and nothing else. */
export function filtersObject<F extends FiltersOf>(list: {
  filters: F;
}): z.ZodObject<SchemasOf<F>, z.core.$strict> {
  const schemas = Object.entries(list.filters).map(([name, { schema }]) => [name, schema] as const);
  return z.strictObject(Object.fromEntries(schemas)) as never; // keyed by the filters' names
}

const Names = z.record(z.string(), z.string());

/**
 * The call of a list. `item` is the shape of a row, `totals` are totals not tied to a column, and `more` is
 * anything else it answers. The SQL of both is in the list's rows. `params`: for a list that belongs to one record.
 */
export function listEndpoint<
  List extends AnyList,
  Item extends z.ZodType,
  More extends z.ZodRawShape = Record<never, never>,
  Totals extends z.ZodRawShape = Record<never, never>,
  Params extends z.ZodObject = z.ZodObject,
>(
  list: List,
  of: {
    path: string;
    summary: string;
    params?: Params;
    item: Item;
    more?: More;
    totals?: Totals;
  },
): Endpoint<Params, ListQuery<List>, z.ZodObject, ListAnswer<List, Item, More, Totals>> {
  const columns = Object.values(list.columns);
  const filters = Object.entries(list.filters).flatMap(([name, { schema, inPath }]) =>
    inPath ? [] : [[name, schema] as const],
  );
  const sums = columns.flatMap(({ total, kind }) =>
    total === undefined ? [] : [[total, kind === "money" ? Money : z.int()] as const],
  );
  const totals = { ...Object.fromEntries(sums), ...of.totals };
  return endpoint({
    method: "GET",
    path: of.path,
    summary: of.summary,
    ...(of.params && { params: of.params }),
    query: PageQuery.extend({
      ...Object.fromEntries(filters),
      /** Rows in id order after this id: rows that existed at the start are neither missed nor read twice. */
      after: After,
      sort: sortBy(...sortNames(list)),
    }),
    object: pageOf(of.item).extend({
      ...(Object.keys(totals).length > 0 && { totals: z.object(totals) }),
      names: Names,
      ...of.more,
    }),
  }) as never; // the shapes combined here match the types above
}
