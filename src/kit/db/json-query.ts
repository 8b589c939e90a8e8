import { CompiledQuery, type RawBuilder, sql } from "kysely";
import type { Db } from "#kit/db/database.ts";
import type { JsonSql } from "#kit/db/shape-json.ts";
import { prepared, preparedAsIs } from "#kit/db/prepared-statements.ts";

declare const of: unique symbol;

/**
 * JSON text that a query has already built in the contract's format. It is passed through unchanged. `Value` is its
 * type in the contract; the call that answers it must have the same type.
 */
export class RawJson<Value> {
  declare readonly [of]: Value;

  /** The text in order. A long text has several pieces, each short enough to handle without blocking. */
  readonly pieces: readonly string[];

  constructor(pieces: readonly string[]) {
    this.pieces = pieces;
  }

  /** The whole text, if it is known to be short. */
  get text(): string {
    return this.pieces.join("");
  }
}

/** A row whose text is JSON of `Value`. */
export interface JsonRow<Value> {
  body: string;
  readonly [of]: Value;
}

/**
 * Run a query whose one row has one column `body`: JSON text in the contract's format. Building it in SQL costs a
 * third of parsing rows and encoding them again (docs/decisions/005). Long JSON comes in pieces of 64 kB, because
 * decoding megabytes as one text would block the server. Answers null if there is no row, or `body` is null.
 */
export async function jsonQuery<Value>(
  tx: Db,
  query: RawBuilder<{ body: string | null; readonly [of]: Value }>,
): Promise<RawJson<NonNullable<Value>> | null> {
  const { sql: text, parameters } = query.compile(tx);
  const inPieces = `select unnest(in_pieces(body)) as body from (\n${text}\n) as answer`;
  const { rows } = await tx.executeQuery<{ body: string }>(
    CompiledQuery.raw(preparedAsIs(text, inPieces), [...parameters]),
  );
  return rows.length > 0 ? new RawJson(rows.map(({ body }) => body)) : null;
}

/** The same if the row is known to exist. */
export async function jsonQueryOrThrow<Value>(
  tx: Db,
  query: RawBuilder<JsonRow<Value>>,
): Promise<RawJson<NonNullable<Value>>> {
  return found(await jsonQuery(tx, query));
}

function found<Value>(answer: RawJson<Value> | null): RawJson<Value> {
  if (!answer) throw new Error("A record that was just written does not exist.");
  return answer;
}

interface From {
  /** A relation and what follows it; without one, the JSON has its own. */
  from?: RawBuilder<unknown>;
  /** Relations that come before. */
  with?: RawBuilder<unknown>;
  /** A statement of one record: each connection stores its plan. */
  isPrepared?: boolean;
}

/** The statement that reads one row's JSON of a shape of the contract. */
export const selectJsonQuery = <Value>(
  json: JsonSql<Value>,
  { from, with: before, isPrepared }: From = {},
): RawBuilder<JsonRow<Value>> =>
  sql`${isPrepared ? prepared : sql``}${before ? sql`with ${before} ` : sql``}select ${json}::text as body
    ${from ? sql`from ${from}` : sql``}`;

/** Run it; null if there is no row. */
export async function selectJson<Value>(
  tx: Db,
  json: JsonSql<Value>,
  from: From = {},
): Promise<RawJson<NonNullable<Value>> | null> {
  return await jsonQuery(tx, selectJsonQuery(json, from));
}

/** The same if the row is known to exist. */
export async function selectJsonOrThrow<Value>(
  tx: Db,
  json: JsonSql<Value>,
  from: From = {},
): Promise<RawJson<NonNullable<Value>>> {
  return found(await selectJson(tx, json, from));
}
