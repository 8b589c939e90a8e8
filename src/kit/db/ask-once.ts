import type pg from "pg";
import { withClient } from "#kit/db/database.ts";

/** How long a question may take, in milliseconds. */
export const answerWithinMs = 10_000;

/** What a database answers to a question of one row, over a connection for it alone. Throws what connecting throws. */
export async function askOnce<Row extends pg.QueryResultRow>(
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
  if (!answer) throw new Error(`The database answered no row to: ${question}`);
  return answer;
}
