import { sql } from "kysely";
import { type Due, takeDue } from "#kit/db/take-due.ts";
import type { CardPaymentContext } from "#cards/card-payment-context.ts";

/**
 * Process each row that is due now until none is, a few at a time. Taking a row puts its next look off, so no
 * processor is called twice when the job is started again while an earlier one still runs. One that fails holds up
 * no other; the log names it as `nameOf` does. Answers how many there were.
 */
export async function sweep<Row>(
  context: CardPaymentContext,
  due: Due,
  nameOf: (row: Row) => string,
  act: (row: Row) => Promise<unknown>,
): Promise<number> {
  const actQuietly = async (row: Row) => {
    try {
      await act(row);
    } catch (problem) {
      context.log(`${nameOf(row)}: ${problem instanceof Error ? problem.message : "failed"}`);
    }
  };
  const now = sql`${context.now().toString()}::timestamptz`;
  let count = 0;
  for (;;) {
    const rows = await takeDue<Row>(context.db, due, { limit: 20, now });
    if (rows.length === 0) return count;
    await Promise.all(rows.map(actQuietly));
    count += rows.length;
  }
}
