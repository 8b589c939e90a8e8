import {
  CamelCasePlugin,
  Kysely,
  PostgresDialect,
  type PostgresPool,
  type PostgresPoolClient,
  type Transaction,
} from "kysely";
import pg from "pg";
import { newPgClient, newPool } from "#kit/db/find-primary.ts";
import { withPreparedStatements } from "#kit/db/prepared-statements.ts";
import type { Tables } from "#kit/db/schema.ts";

/** The database, or one transaction on it: queries read the same on both. */
export type Db = Kysely<Tables>;
export type Tx = Transaction<Tables>;

/** Where the database is. The two are equal unless there is a transaction pooler. */
export interface DatabaseAddress {
  /** For statements and transactions: the pooler's, if there is one. */
  connectionString: string;
  /** Without a pooler, for what needs a session: LISTEN, session locks, the job queue, migrations. */
  directConnectionString: string;
}

export interface DatabaseSettings {
  connectionString: string;
  connections?: number;
  /** The time limit of every statement of a request or a job. */
  statementTimeoutMs?: number;
  /** A pooler accepts no time limits from clients. Its own connections must have them. */
  isPooled?: boolean;
  /** Statements may be sent before the last one is answered (`pipeline`). Then nothing can be copied out. */
  isPipelined?: boolean;
  /** Shown in application_name, for pools that are not for requests and jobs. */
  purpose?: string;
}

/** How values arrive: see `openDatabase`. */
export const databaseTypes = new pg.TypeOverrides();
databaseTypes.setTypeParser(pg.types.builtins.INT8, readBigint);
databaseTypes.setTypeParser(pg.types.builtins.DATE, (day) => day);
databaseTypes.setTypeParser(pg.types.builtins.TIMESTAMPTZ, (instant) =>
  new Date(instant).toISOString(),
);

function readBigint(text: string): number {
  const number = Number(text);
  if (!Number.isSafeInteger(number)) throw new RangeError(`${text} is too large.`);
  return number;
}

/** The database's default time limits. */
const timeLimits = {
  statement_timeout: 30_000,
  lock_timeout: 10_000,
  idle_in_transaction_session_timeout: 60_000,
};

/** A client of a machine that is gone gets an error within half a minute, not after two hours. */
const keepAlive = { keepAlive: true, keepAliveInitialDelayMillis: 10_000 };

export function openPool(settings: DatabaseSettings): pg.Pool {
  const { statementTimeoutMs = timeLimits.statement_timeout } = settings;
  return newPool({
    connectionString: settings.connectionString,
    max: settings.connections ?? 16,
    connectionTimeoutMillis: 10_000,
    idleTimeoutMillis: 30_000,
    application_name: ["referral-network", settings.purpose].join(" ").trim(),
    ...(settings.purpose && { query_timeout: statementTimeoutMs + 5_000 }), // as in newClient
    ...(!settings.isPooled && { ...timeLimits, statement_timeout: statementTimeoutMs }),
    ...keepAlive,
    pipeline: settings.isPipelined,
    types: databaseTypes,
  });
}

/** One connection outside any pool, not yet open. application_name shows its purpose. */
export function newClient(
  connectionString: string,
  purpose: string,
  limits: { statementMs: number; lockMs?: number; connectMs?: number },
): pg.Client {
  return newPgClient({
    connectionString,
    application_name: `referral-network ${purpose}`,
    connectionTimeoutMillis: limits.connectMs ?? 10_000,
    ...timeLimits,
    statement_timeout: limits.statementMs,
    query_timeout: limits.statementMs + 5_000, // for a connection that dies without an error
    lock_timeout: limits.lockMs ?? timeLimits.lock_timeout,
    ...keepAlive,
  });
}

/** Work on such a connection, open as long as the work takes. */
export async function withClient<Answer>(
  connectionString: string,
  purpose: string,
  limits: Parameters<typeof newClient>[2],
  work: (client: pg.Client) => Promise<Answer>,
): Promise<Answer> {
  return await whileOpen(newClient(connectionString, purpose, limits), work);
}

/** Open a connection, work on it, and end it. */
export async function whileOpen<Answer>(
  client: pg.Client,
  work: (client: pg.Client) => Promise<Answer>,
): Promise<Answer> {
  try {
    await client.connect();
    return await work(client);
  } finally {
    await client.end().catch(() => undefined); // a client that never connected has nothing to end
  }
}

/**
 * `bigint` arrives as a safe number, `date` as `YYYY-MM-DD`, `timestamptz` as ISO 8601 in UTC, columns in
 * camelCase. Keys inside `jsonb` values stay as they are stored.
 */
export function openDatabase(pool: pg.Pool): Db {
  return queryBuilder(withPreparedStatements(pool));
}

/** The same on the caller's connection, in whatever transaction is open there. Its types are `databaseTypes`. */
export function databaseOn(client: pg.Client): Db {
  const query = client.query.bind(client) as PostgresPoolClient["query"];
  const connection = { query, release: () => undefined };
  return queryBuilder({
    options: {},
    connect: async () => connection,
    end: async () => undefined,
  });
}

function queryBuilder(pool: PostgresPool): Db {
  return new Kysely<Tables>({
    dialect: new PostgresDialect({ pool }),
    plugins: [
      new CamelCasePlugin({ maintainNestedObjectKeys: true, underscoreBeforeDigits: true }),
    ],
  });
}
