import { expect, test } from "vitest";
import { cents } from "#kit/domain/money.ts";
import { nextBill } from "#kit/domain/next-bill.ts";

const dues = (nextBillingDate: string | null, dollars: number) => ({
  nextBillingDate,
  amount: cents(dollars * 100),
});

test.each([
  ["nothing without subscriptions", [], null],
  ["nothing of ended ones", [dues(null, 75)], null],
  ["the earliest day's", [dues("2027-01-10", 250), dues("2026-12-01", 75)], ["2026-12-01", 7500]],
  [
    "all that falls on one day",
    [dues("2026-12-01", 75), dues("2026-12-15", 35), dues("2026-12-01", 35), dues(null, 5)],
    ["2026-12-01", 11_000],
  ],
])("the next bill is %s", (_, subscriptions, wanted) => {
  const bill = nextBill(subscriptions);
  expect(bill && [bill.on, bill.amount]).toEqual(wanted);
});
