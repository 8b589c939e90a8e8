import type { CardPaymentContext } from "#features/cards/card-payment-context.ts";

/**
 * Do what is due about each row until none is due, a few at a time. `take` reads them and puts each off
 * to its next look in one statement: so no processor is asked twice when the job is begun again while
 * an earlier one still works. One that fails holds up no other; the log names it as `nameOf` does.
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
