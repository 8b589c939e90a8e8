import fc from "fast-check";
import { expect, test } from "vitest";
import { cents, dollarsText, runningTotal, sum, zero } from "#kit/domain/money.ts";
import type { DebitOfAttorney } from "#dues/ledger/contract.ts";
import { unallocatedAmount, likelyOwner, oldestFirst } from "#payments/checks/check-allocation.tsx";

function owed(id: number, attorneyId: number, balance: number, pending = 0): DebitOfAttorney {
  return {
    id,
    attorneyId,
    attorneyName: `Lawyer ${attorneyId}`,
    name: "Panel dues",
    note: "",
    description: "",
    amount: cents(balance),
    balance: cents(balance),
    pending: cents(pending),
    paidFromCredit: zero,
    dueDate: "2026-01-31",
    createdAt: "2026-01-01T00:00:00Z",
    pendingPayments: [],
    adjustments: [],
  };
}

test("oldest first pays what it can on each debit until the check is used up", () => {
  const debits = [owed(1, 1, 7500), owed(2, 2, 25_000, 20_000), owed(3, 2, 7500), owed(4, 3, 3500)];
  expect(oldestFirst(debits, cents(15_000))).toEqual({
    shares: { 1: "75.00", 2: "50.00", 3: "25.00" },
    credits: {},
  });
});

test("the amount left is the check less its parts, negative if the parts exceed it", () => {
  const debits = [owed(1, 1, 7500)];
  const left = (amount: string, parts: Parameters<typeof unallocatedAmount>[2]) =>
    unallocatedAmount(amount, debits, parts);
  expect(left("$ 1,100.50", { shares: { 1: "75" }, credits: { 1: "25.5" } })).toBe(100_000);
  expect(left("50", { shares: { 1: "75" }, credits: {} })).toBe(-2500);
  expect(left("75", { shares: { 9: "75" }, credits: {} })).toBe(7500); // no longer a debit of this payer
  expect(left("seventy", { shares: {}, credits: {} })).toBeNull();
});

test("oldest first and the rest as credit always place the check to the cent", () => {
  const debits = fc.array(
    fc
      .record({ balance: fc.integer({ min: 1, max: 1_000_000 }), part: fc.nat({ max: 100 }) })
      .map(({ balance, part }) => ({ balance, pending: Math.floor((balance * part) / 100) })),
    { maxLength: 40 },
  );
  fc.assert(
    fc.property(debits, fc.integer({ min: 1, max: 10_000_000 }), (all, amount) => {
      const list = all.map(({ balance, pending }, index) => owed(index + 1, 1, balance, pending));
      const { shares } = oldestFirst(list, cents(amount));
      const typed = dollarsText(cents(amount));
      const rest = unallocatedAmount(typed, list, { shares, credits: {} });
      const payable = sum(list.map(({ balance, pending }) => cents(balance - pending)));
      expect(rest).toBe(Math.max(0, amount - payable));
      for (const { id, balance, pending } of list)
        expect(runningTotal([shares[id] ?? ""])).toBeLessThanOrEqual(balance - pending);
      const credits = { 1: dollarsText(cents(rest ?? 0)) };
      expect(unallocatedAmount(typed, list, { shares, credits })).toBe(0);
    }),
  );
});

test("the rest is offered as credit for the attorney the check pays most for, else the first", () => {
  const debits = [owed(1, 1, 7500), owed(2, 2, 25_000)];
  const shares = { 1: "75.00", 2: "250.00" };
  expect(likelyOwner(debits, { shares, credits: {} }, [{ id: 1 }, { id: 2 }])).toBe(2);
  expect(likelyOwner(debits, { shares: {}, credits: {} }, [{ id: 5 }])).toBe(5);
  expect(likelyOwner([], { shares: {}, credits: {} }, [])).toBeNull();
});
