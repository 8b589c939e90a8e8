import { sql } from "kysely";
import type pg from "pg";

/**
 * Begins a statement that each connection keeps, parsed and planned, for the next time: planning an
 * attorney's record takes five times as long as reading it. For statements of one record or a few,
 * whose text never varies by more than a few words; a large one is better planned anew each time.
 */
export const prepared = sql`/* kept */ `;

/** At the beginning, or after the first word where the query builder puts it (`modifyFront`). */
const mark = /^(select )?\/\* kept \*\//;

/** Should a text vary after all, the database is not filled with its variants. */
const maxNumber = 200;

const names = new Map<string, string>();

/**
 * Let a connection keep the statements that ask for it. Not through a pooler of transactions, where
 * the next statement may reach another connection: there the process id that the line was opened
 * with is not that of the backend which answers.
 */
export async function prepareMarkedStatements(client: pg.ClientBase): Promise<void> {
  const { rows } = await client.query<{ pid: number }>("select pg_backend_pid() as pid");
  const opened = "processID" in client ? client.processID : null;
  if (rows[0]?.pid !== opened) return;
  const plain = client.query.bind(client) as (...args: unknown[]) => unknown; // it has many forms
  const query = (text: unknown, values: unknown, ...more: unknown[]): unknown => {
    const name = typeof text === "string" && Array.isArray(values) ? nameOf(text) : undefined;
    return name ? plain({ name, text, values }, ...more) : plain(text, values, ...more);
  };
  Object.assign(client, { query });
}

function nameOf(text: string): string | undefined {
  if (!mark.test(text)) return undefined;
  const known = names.get(text);
  if (known || names.size >= maxNumber) return known;
  const name = `kept_${names.size}`;
  names.set(text, name);
  return name;
}
