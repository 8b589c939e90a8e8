import { type PostgresPool, type PostgresPoolClient, sql } from "kysely";
import type pg from "pg";

/**
 * Marks a statement to be prepared: each connection stores it parsed and planned. Planning an attorney's record
 * takes five times as long as reading it. For statements of one or a few records with few variants of their text. A
 * statement over many rows is better planned each time. Measured: docs/decisions/043.
 */
export const prepared = sql`/* prepared */ `;

/** A statement built from another, prepared if that one is. */
export const preparedAsIs = (statement: string, madeOfIt: string): string =>
  preparedComment.test(statement) ? `/* prepared */ ${madeOfIt}` : madeOfIt;

/** At the beginning, or after the first word where the query builder puts it (`modifyFront`). */
const preparedComment = /^(select )?\/\* prepared \*\//;

/** A limit, in case a text has many variants. */
const maxStatements = 200;

const names = new Map<string, string>();

/**
 * Wrap the pool for the query builder: statements that begin with `prepared` are sent with a name, as PostgreSQL's
 * named prepared statements.
 */
export function withPreparedStatements(pool: pg.Pool): PostgresPool {
  const known = new WeakMap<pg.PoolClient, PostgresPoolClient>();
  return {
    options: pool.options,
    end: () => pool.end(),
    connect: async () => {
      const client = await pool.connect();
      try {
        const preparing = known.get(client) ?? (await preparingClient(client));
        known.set(client, preparing);
        return preparing;
      } catch (problem) {
        client.release(true);
        throw problem;
      }
    },
  };
}

/**
 * Not through a transaction pooler, where the next statement may reach another connection. It is recognized by a
 * backend process id that differs from the one given when the connection was opened.
 */
async function preparingClient(client: pg.PoolClient): Promise<PostgresPoolClient> {
  const { rows } = await client.query<{ pid: number }>("select pg_backend_pid() as pid");
  const opened = "processID" in client ? client.processID : null;
  if (rows[0]?.pid !== opened) return client;
  const send = client.query.bind(client) as (...args: unknown[]) => unknown; // it has many forms
  const query = (text: unknown, values?: unknown): unknown => {
    const name = typeof text === "string" && Array.isArray(values) ? nameOf(text) : undefined;
    return name ? send({ name, text, values }) : send(text, values);
  };
  return {
    query: query as PostgresPoolClient["query"],
    release: (isBroken) => client.release(isBroken),
  };
}

function nameOf(text: string): string | undefined {
  if (!preparedComment.test(text)) return undefined;
  const known = names.get(text);
  if (known || names.size >= maxStatements) return known;
  const name = `prepared_${names.size}`;
  names.set(text, name);
  return name;
}
