import { sql } from "kysely";
import { type Due, takeDue } from "#kit/db/take-due.ts";
import type { CardPaymentContext } from "#cards/card-payment-context.ts";

/**
 * Process every row that is due, a few at a time. Taking a row postpones its next look, so two runs of a
 * job at the same time never call a processor twice. A failure does not stop the others; the log names the
 * row by `nameOf`. Answers the number of rows.
 */
export async function processDue<Row>(
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
