import * as fc from "fast-check";
import { expect, test } from "vitest";
import { takeFromCredit } from "#domain/credit.ts";
import { cents, sum } from "#domain/money.ts";

const receipts = (...left: number[]) =>
  left.map((leftCents, index) => ({ id: index + 1, leftCents: cents(leftCents) }));

test.each([
  { left: [500, 300], amount: 200, taken: [[1, 200]] },
  { left: [500, 300], amount: 500, taken: [[1, 500]] },
  {
    left: [500, 300],
    amount: 700,
    taken: [
      [1, 500],
      [2, 200],
    ],
  },
  { left: [0, 300], amount: 100, taken: [[2, 100]] },
  { left: [], amount: 100, taken: [] },
  { left: [100], amount: 200, taken: [[1, 100]] },
])("of $left, $amount is taken from the oldest first", ({ left, amount, taken }) => {
  const parts = takeFromCredit(receipts(...left), cents(amount));
  expect(parts.map(({ creditId, amountCents }) => [creditId, amountCents])).toEqual(taken);
});

test("what is taken is the amount or all there is, and no receipt is overdrawn", () => {
  const lefts = fc.array(fc.nat({ max: 1_000 }), { maxLength: 8 });
  fc.assert(
    fc.property(lefts, fc.nat({ max: 5_000 }), (left, amount) => {
      const given = receipts(...left);
      const taken = takeFromCredit(given, cents(amount));
      const total = sum(given.map(({ leftCents }) => leftCents));
      expect(sum(taken.map(({ amountCents }) => amountCents))).toBe(Math.min(amount, total));
      for (const { creditId, amountCents } of taken)
        expect(amountCents).toBeLessThanOrEqual(left[creditId - 1] ?? 0);
      // All but the last are used up, and none before the last is passed over.
      const used = new Set(taken.slice(0, -1).map(({ creditId }) => creditId));
      const last = taken.at(-1)?.creditId ?? 0;
      for (const { id, leftCents } of given.slice(0, Math.max(0, last - 1)))
        expect(used.has(id)).toBe(leftCents > 0);
    }),
  );
});
