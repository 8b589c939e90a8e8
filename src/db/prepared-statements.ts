import { type PostgresPool, type PostgresPoolClient, sql } from "kysely";
import type pg from "pg";

/**
 * Begins a statement that each connection keeps, parsed and planned, for the next time: planning an
 * attorney's record takes five times as long as reading it. For statements of one record or a few,
 * whose text never varies by more than a few words; a large one is better planned anew each time.
 * Measured: docs/decisions/043.
 */
export const prepared = sql`/* prepared */ `;

/** At the beginning, or after the first word where the query builder puts it (`modifyFront`). */
const mark = /^(select )?\/\* prepared \*\//;

/** Should a text vary after all, the database is not filled with its variants. */
const maxNumber = 200;

const names = new Map<string, string>();

/**
 * The pool as the query builder asks it for connections: statements that begin with `prepared` are
 * given a name, by which the driver has the database keep them.
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
 * Not through a pooler of transactions, where the next statement may reach another connection: there
 * the process id that the line was opened with is not that of the backend which answers.
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
  if (!mark.test(text)) return undefined;
  const known = names.get(text);
  if (known || names.size >= maxNumber) return known;
  const name = `prepared_${names.size}`;
  names.set(text, name);
  return name;
}
