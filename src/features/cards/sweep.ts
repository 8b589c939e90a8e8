import type { CardPaymentContext } from "#features/cards/card-payment-context.ts";

/**
 * Process each due row until none is due, a few at a time. `take` reads them and sets each row's next
 * lookup in one statement, so no processor is called twice when the job is started again while an
 * earlier one still runs. One that fails holds up no other; the log names it as `nameOf` does.
 * Answers how many there were.
 */
export async function sweep<Row>(
  context: CardPaymentContext,
  take: () => Promise<{ rows: Row[] }>,
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
  let count = 0;
  for (;;) {
    const { rows } = await take();
    if (rows.length === 0) return count;
    await Promise.all(rows.map(actQuietly));
    count += rows.length;
  }
}
