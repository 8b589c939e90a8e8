import * as fc from "fast-check";
import { expect, test } from "vitest";
import { leftAfterCredit, spreadCredit, takeFromCredit } from "#kit/domain/credit.ts";
import { cents, sum } from "#kit/domain/money.ts";

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

test("the amount or everything left is taken, and no receipt is overdrawn", () => {
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

test("debits are paid in order, each from the oldest credit left", () => {
  const debits = [
    { id: 7, payableCents: cents(400) },
    { id: 8, payableCents: cents(300) },
    { id: 9, payableCents: cents(900) },
  ];
  expect(
    spreadCredit(receipts(500, 0, 300), debits, cents(800)).map(
      ({ creditId, debitId, amountCents }) => [debitId, creditId, amountCents],
    ),
  ).toEqual([
    [7, 1, 400],
    [8, 1, 100],
    [8, 3, 200],
    [9, 3, 100],
  ]);
});

test("what credit pays and what is left add up to what is owed", () => {
  const amounts = fc.array(fc.nat({ max: 1_000 }), { maxLength: 8 });
  fc.assert(
    fc.property(amounts, amounts, (owed, left) => {
      const given = receipts(...left);
      const credit = sum(given.map(({ leftCents }) => leftCents));
      const debits = owed.map((amount, index) => ({ id: index, payableCents: cents(amount) }));
      const after = leftAfterCredit(owed.map(cents), credit);
      const parts = spreadCredit(given, debits, credit);
      for (const [index, amount] of owed.entries()) {
        const own = parts.filter(({ debitId }) => debitId === index);
        expect(sum(own.map(({ amountCents }) => amountCents)) + (after[index] ?? 0)).toBe(amount);
      }
      for (const { id, leftCents } of given) {
        const own = parts.filter(({ creditId }) => creditId === id);
        expect(sum(own.map(({ amountCents }) => amountCents))).toBeLessThanOrEqual(leftCents);
      }
    }),
  );
});
