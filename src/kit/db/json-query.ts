import { CompiledQuery, type RawBuilder, sql } from "kysely";
import type { Db } from "#kit/db/database.ts";
import type { JsonSql } from "#kit/db/shape-json.ts";
import { prepared, preparedAsIs } from "#kit/db/prepared-statements.ts";

declare const of: unique symbol;

/**
 * JSON text that a query has already built in the contract's JSON format: passed through unchanged. `Value`: what
 * the contract calls it; the call that answers it must be of the same.
 */
export class RawJson<Value> {
  declare readonly [of]: Value;

  /** The text in order; a long one has several, each short enough to be handled at once. */
  readonly pieces: readonly string[];

  constructor(pieces: readonly string[]) {
    this.pieces = pieces;
  }

  /** The whole, for what is known to be short. */
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
 * Run a query whose one row has one column `body`: JSON text in the contract's format. Building
 * it in SQL costs a third of parsing rows and encoding them again (docs/decisions/005). It comes in pieces of 64 kB
 * where it is long, and never is one text: megabytes would stop the server for as long as they are decoded. Answers
 * null when there is no row, or `body` is null.
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

/** The same where the row is known to exist. */
export async function jsonQueryOrThrow<Value>(
  tx: Db,
  query: RawBuilder<JsonRow<Value>>,
): Promise<RawJson<NonNullable<Value>>> {
  return found(await jsonQuery(tx, query));
}

function found<Value>(answer: RawJson<Value> | null): RawJson<Value> {
  if (!answer) throw new Error("A record that was just written is not there.");
  return answer;
}

interface From {
  /** A relation and what follows it; without one, the JSON has its own. */
  from?: RawBuilder<unknown>;
  /** Relations that come before. */
  with?: RawBuilder<unknown>;
  /** A statement of one record: each connection keeps its plan. */
  isPrepared?: boolean;
}

/** The statement that reads JSON of a shape of the contract, of one row. */
export const selectJsonQuery = <Value>(
  json: JsonSql<Value>,
  { from, with: before, isPrepared }: From = {},
): RawBuilder<JsonRow<Value>> =>
  sql`${isPrepared ? prepared : sql``}${before ? sql`with ${before} ` : sql``}select ${json}::text as body
    ${from ? sql`from ${from}` : sql``}`;

/** Run it; null when there is no row. */
export async function selectJson<Value>(
  tx: Db,
  json: JsonSql<Value>,
  from: From = {},
): Promise<RawJson<NonNullable<Value>> | null> {
  return await jsonQuery(tx, selectJsonQuery(json, from));
}

/** The same where the row is known to exist. */
export async function selectJsonOrThrow<Value>(
  tx: Db,
  json: JsonSql<Value>,
  from: From = {},
): Promise<RawJson<NonNullable<Value>>> {
  return found(await selectJson(tx, json, from));
}
