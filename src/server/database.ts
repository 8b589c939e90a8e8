import { CamelCasePlugin, Kysely, PostgresDialect, type Transaction } from "kysely";
import pg from "pg";
import { keepStatements } from "#server/kept-statements.ts";
import type { Tables } from "#server/schema.ts";

/** The database, or one transaction on it: queries read the same on both. */
export type Db = Kysely<Tables>;
export type Tx = Transaction<Tables>;

export interface DatabaseSettings {
  connectionString: string;
  connections?: number;
  /** No statement of a request or a job may run longer than this. */
  statementTimeoutMs?: number;
}

const types = new pg.TypeOverrides();
types.setTypeParser(pg.types.builtins.INT8, readBigint);
types.setTypeParser(pg.types.builtins.DATE, (day) => day);
types.setTypeParser(pg.types.builtins.TIMESTAMPTZ, (instant) => new Date(instant).toISOString());

function readBigint(text: string): number {
  const number = Number(text);
  if (!Number.isSafeInteger(number)) throw new RangeError(`${text} is too large a number.`);
  return number;
}

export function openPool(settings: DatabaseSettings): pg.Pool {
  const pool = new pg.Pool({
    connectionString: settings.connectionString,
    max: settings.connections ?? 16,
    connectionTimeoutMillis: 10_000,
    idleTimeoutMillis: 30_000,
    application_name: "referral-network",
    statement_timeout: settings.statementTimeoutMs ?? 30_000,
    lock_timeout: 10_000,
    idle_in_transaction_session_timeout: 60_000,
    keepAlive: true,
    types,
    // The pool waits for it, whatever its types say.
    onConnect: (client): unknown => keepStatements(client),
  });
  // A connection that dies is replaced by the pool; without listeners its death ends the process.
  pool.on("error", () => undefined);
  pool.on("connect", (client) => client.on("error", () => undefined));
  return pool;
}

/**
 * `bigint` arrives as a safe number, `date` as `YYYY-MM-DD`, `timestamptz` as ISO 8601 in UTC,
 * columns in camelCase. Keys inside `jsonb` values stay as they are stored.
 */
export function openDatabase(pool: pg.Pool): Db {
  return new Kysely<Tables>({
    dialect: new PostgresDialect({ pool }),
    plugins: [
      new CamelCasePlugin({ maintainNestedObjectKeys: true, underscoreBeforeDigits: true }),
    ],
  });
}
