import type pg from "pg";
import { withClient } from "#kit/db/database.ts";

/** How long a question may take, in milliseconds. */
export const answerWithinMs = 10_000;

/** A database's answer to a question of one row, over its own connection. Throws what connecting throws. */
export async function queryOneRow<Row extends pg.QueryResultRow>(
  connectionString: string,
  question: string,
): Promise<Row> {
  const { rows } = await withClient(
    connectionString,
    "start",
    { statementMs: answerWithinMs },
    (client) => client.query<Row>(question),
  );
  const [answer] = rows;
  if (!answer) throw new Error(`The database returned no row for: ${question}`);
  return answer;
}
