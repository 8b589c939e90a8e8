import { type RawBuilder, type Selectable, sql } from "kysely";
import { z } from "zod";
import type { Cents } from "#kit/domain/money.ts";
import { Money, Timestamp } from "#kit/contract/fields.ts";
import { type Page, pageOf, type PageQuery } from "#kit/contract/page.ts";
import type { Tables } from "#kit/db/schema.ts";

type Sql = RawBuilder<unknown>;

declare const built: unique symbol;

/** JSON built by the database, of the type that the contract declares. */
export type JsonSql<Value> = Sql & { readonly [built]: Value };

/** The only place that declares SQL to be JSON of a shape. The functions below build it correctly. */
const asJson = <Value>(json: Sql) => json as JsonSql<Value>;

type Scalar = string | number | boolean | null | undefined;

/** A value of one or several of the contract's kinds; otherwise JSON of the same declaration. */
type FieldSql<Schema> =
  z.output<Schema> extends Scalar | Scalar[] ? Sql : JsonSql<z.output<Schema>>;

type Fields<Shape extends z.ZodRawShape> = { [Name in keyof Shape]: FieldSql<Shape[Name]> };

/** Refuses fields that the shape does not declare, also in spread objects. */
type NoOther<Given, Shape> = Record<Exclude<keyof Given, keyof Shape>, never>;

/**
 * JSON of a shape of the contract. The compiler refuses missing and undeclared fields. The shape says how a value
 * is written: `Money` is given in cents, `Timestamp` as an instant, everything else unchanged.
 */
export function shapeJson<Shape extends z.ZodRawShape, Given extends Fields<Shape>>(
  { shape }: z.ZodObject<Shape>,
  fields: Given & NoOther<Given, Shape>,
): JsonSql<z.output<z.ZodObject<Shape>>> {
  return objectJson(shape, fields);
}

type Row<Table extends keyof Tables> = Selectable<Tables[Table]>;

/** The column of a field: money is stored in cents. */
type ColumnOf<Schema, Name extends string> =
  NonNullable<z.output<Schema>> extends Cents ? `${Name}Cents` : Name;

/** The fields of a shape that are columns of a table, of the same type. */
type Own<Shape extends z.ZodRawShape, Table extends keyof Tables> = {
  [Name in keyof Shape & string]: Row<Table> extends Record<
    ColumnOf<Shape[Name], Name>,
    z.output<Shape[Name]>
  >
    ? Name
    : never;
}[keyof Shape & string];

/**
 * As `shapeJson` for a table's row, "plans as p", with the fields in the shape's order. Fields that are columns of
 * the table, by name and type, can be left out: `createdAt` is then `p.created_at`, and `amount` `p.amount_cents`.
 */
export function tableJson<
  Shape extends z.ZodRawShape,
  Table extends keyof Tables,
  Given extends Omit<Fields<Shape>, Own<Shape, Table>> & Partial<Fields<Shape>>,
>(
  { shape }: z.ZodObject<Shape>,
  table: `${Table} as ${string}`,
  given: Given & NoOther<Given, Shape>,
): JsonSql<z.output<z.ZodObject<Shape>>> {
  const alias = table.slice(table.indexOf(" as ") + 4);
  const columns = Object.entries(shape).map(([name, schema]) => {
    const column = kindOf(schema) === Money ? `${name}Cents` : name;
    return [name, sql.ref(`${alias}.${column}`)] as const;
  });
  return objectJson(shape, { ...Object.fromEntries(columns), ...given });
}

function objectJson<Json>(shape: z.ZodRawShape, fields: Record<string, Sql>): JsonSql<Json> {
  const parts = Object.entries(fields).flatMap(([name, value]) => [
    sql.lit(name),
    written(shape[name] as z.core.$ZodType, value), // the names are the shape's
  ]);
  return asJson(sql`json_build_object(${sql.join(parts)})`);
}

/** As in the published interface, "Conventions". */
function written(schema: z.core.$ZodType, value: Sql): Sql {
  const kind = kindOf(schema);
  if (kind === Money) return sql`dollars(${value})`;
  return kind === Timestamp ? sql`iso(${value})` : value;
}

const kindOf = (schema: z.core.$ZodType): z.core.$ZodType =>
  schema instanceof z.ZodNullable || schema instanceof z.ZodOptional
    ? kindOf(schema.unwrap())
    : schema;

interface Rows {
  /** A relation and what follows it. */
  from: Sql;
  order: Sql;
  /** At most this many rows, after an offset. */
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

/** JSON of one page of a list; `counted` are its rows on all pages. */
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

/** JSON of one row, or null if there is none. */
export const rowJson = <Value>(row: JsonSql<Value>, from: Sql): JsonSql<Value | null> =>
  asJson(sql`(select ${row} from ${from})`);

/** JSON of one row that always exists, such as one of aggregates. */
export const firstJson = <Value>(row: JsonSql<Value>, from: Sql): JsonSql<Value> =>
  asJson(sql`(select ${row} from ${from})`);

/**
 * JSON of a group's rows, or of its first ones, optionally only those that meet a condition, beside other
 * aggregates.
 */
export function aggregateJson<Item>(
  item: JsonSql<Item>,
  { when, order, limit }: { when?: Sql; order: Sql; limit?: number },
): JsonSql<Item[]> {
  const rows = sql`(${item} order by ${order}) ${when ? sql`filter (where ${when})` : sql``}`;
  if (limit === undefined) return asJson(sql`coalesce(json_agg${rows}, '[]')`);
  return asJson(sql`coalesce(to_json((array_agg${rows})[1:${sql.lit(limit)}]), '[]')`);
}

/** JSON if a condition is true; otherwise other JSON, or null. */
export const jsonWhere = <Value, Other = null>(
  condition: Sql,
  json: JsonSql<Value>,
  other?: JsonSql<Other>,
): JsonSql<Value | Other> =>
  asJson(sql`case when ${condition} then ${json} ${other ? sql`else ${other}` : sql``} end`);

/** The rows of a list if a condition is true; otherwise none, without a search. */
export const listWhere = <Item>(condition: Sql, list: JsonSql<Item[]>): JsonSql<Item[]> =>
  asJson(sql`case when ${condition} then ${list} else '[]' end`);

/** JSON that another part of the statement has built, by its column's name, or the same as `jsonb`. */
export const builtJson = <Value>(_built: JsonSql<Value>, column: Sql): JsonSql<Value> =>
  asJson(column);
