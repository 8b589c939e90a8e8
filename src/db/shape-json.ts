import { type RawBuilder, sql } from "kysely";
import { z } from "zod";
import { Money, Timestamp } from "#contract/fields.ts";
import { type Page, pageOf, type PageQuery } from "#contract/page.ts";

type Sql = RawBuilder<unknown>;

declare const built: unique symbol;

/** JSON that the database builds, of what the contract declares as this. */
export type JsonSql<Value> = Sql & { readonly [built]: Value };

/** The one place where SQL is said to be JSON of a shape: each below builds it so. */
const asJson = <Value>(json: Sql) => json as JsonSql<Value>;

type Scalar = string | number | boolean | null | undefined;

/** A value of one of the contract's kinds or several of them; else JSON of the same declaration. */
type FieldSql<Schema extends z.ZodType> =
  z.output<Schema> extends Scalar | Scalar[] ? Sql : JsonSql<z.output<Schema>>;

/**
 * JSON of a shape of the contract: the compiler refuses a field that is missing, and one that is not declared. The
 * shape says how a value is written: `Money` is given in cents, `Timestamp` as an instant, all else as it is.
 */
export function shapeJson<Shape extends z.ZodRawShape>(
  { shape }: z.ZodObject<Shape>,
  fields: { [Name in keyof Shape]: FieldSql<Extract<Shape[Name], z.ZodType>> },
): JsonSql<z.output<z.ZodObject<Shape>>> {
  const parts = Object.entries<Sql>(fields).flatMap(([name, value]) => [
    sql.lit(name),
    written(shape[name] as z.ZodType, value), // the names are the shape's
  ]);
  return asJson(sql`json_build_object(${sql.join(parts)})`);
}

/** As the wire has it. Source: published interface, "Conventions". */
function written(schema: z.ZodType, value: Sql): Sql {
  if (schema instanceof z.ZodNullable || schema instanceof z.ZodOptional)
    return written(schema.unwrap() as z.ZodType, value);
  if (schema === Money) return sql`dollars(${value})`;
  return schema === Timestamp ? sql`iso(${value})` : value;
}

interface Rows {
  /** A relation and what follows it. */
  from: Sql;
  order: Sql;
  /** So many of them, after some. */
  limit?: number;
  offset?: number;
}

/** JSON of several rows. */
export function listJson<Item>(
  item: JsonSql<Item>,
  { from, order, limit, offset = 0 }: Rows,
): JsonSql<Item[]> {
  if (limit === undefined)
    return asJson(sql`(select coalesce(json_agg(${item} order by ${order}), '[]') from ${from})`);
  return asJson(sql`(select coalesce(json_agg(body order by at), '[]') from (
    select body, row_number() over () as at from (
      select ${item} as body from ${from} order by ${order} limit ${limit} offset ${offset}) as page
    ) as listed)`);
}

/** JSON of one page of a list, `counted` its rows on all pages. */
export function pageJson<Item extends z.ZodType>(
  item: Item,
  json: JsonSql<z.output<Item>>,
  { from, order, counted }: { from: Sql; order: Sql; counted: Sql },
  { page, per_page: limit }: PageQuery,
): JsonSql<Page<z.output<Item>>> {
  return shapeJson(pageOf(item), {
    items: listJson(json, { from, order, limit, offset: (page - 1) * limit }),
    total: sql`(select count(*) from ${counted})`,
    page: sql`${page}::integer`,
    perPage: sql`${limit}::integer`,
  });
}

/** JSON of one row, or null where there is none. */
export const rowJson = <Value>(row: JsonSql<Value>, from: Sql): JsonSql<Value | null> =>
  asJson(sql`(select ${row} from ${from})`);

/** JSON of one row that is always there, such as one of aggregates. */
export const firstJson = <Value>(row: JsonSql<Value>, from: Sql): JsonSql<Value> =>
  asJson(sql`(select ${row} from ${from})`);

/** JSON of the first rows of a group for which a condition holds, beside other aggregates. */
export const aggregateJson = <Item>(
  item: JsonSql<Item>,
  { when, order, limit }: { when: Sql; order: Sql; limit: number },
): JsonSql<Item[]> =>
  asJson(sql`coalesce(to_json((array_agg(${item} order by ${order})
    filter (where ${when}))[1:${sql.lit(limit)}]), '[]')`);

/** JSON where a condition holds; else null. */
export const jsonWhere = <Value>(condition: Sql, json: JsonSql<Value>): JsonSql<Value | null> =>
  asJson(sql`case when ${condition} then ${json} end`);

/** The rows of a list where a condition holds; else none, without looking for them. */
export const listWhere = <Item>(condition: Sql, list: JsonSql<Item[]>): JsonSql<Item[]> =>
  asJson(sql`case when ${condition} then ${list} else '[]' end`);

/** JSON that another part of the statement has built, by the name of its column. */
export const builtJson = <Value>(_built: JsonSql<Value>, column: Sql): JsonSql<Value> =>
  asJson(column);
