import { expect, test } from "vitest";
import { cents } from "#kit/domain/money.ts";
import { describeBilling } from "#dues/plans/billing-preview.tsx";

const monthly = { amount: cents(5000), frequencyInMonths: 1 };
const quarterly = { amount: cents(125_050), frequencyInMonths: 3 };
const today = "2026-11-30";

test.each([
  {
    when: "bills the period that contains today immediately, then on schedule",
    terms: { start_date: "2026-10-31", bill_immediately: true },
    words: "bill $50.00 today, then 12/31/2026, 01/31/2027, 02/28/2027 …",
  },
  {
    when: "bills a start date of today immediately if chosen",
    terms: { start_date: today, bill_immediately: true },
    words: "bill $50.00 today, then 12/30/2026, 01/30/2027, 02/28/2027 …",
  },
  {
    when: "bills a start date of today from the next date on otherwise",
    terms: { start_date: today, bill_immediately: false },
    words: "bill nothing today, then $50.00 on 12/30/2026, 01/30/2027, 02/28/2027 …",
  },
  {
    when: "bills a future start date on that date, even if Bill immediately was checked before",
    terms: { start_date: "2026-12-31", bill_immediately: true },
    words: "bill nothing today, then $50.00 on 12/31/2026, 01/31/2027, 02/28/2027 …",
  },
])("$when", ({ terms, words }) => {
  expect(
    describeBilling({ plan: monthly, terms: { ...terms, note: "" }, today, attorneys: 1 }),
  ).toBe(words);
});

test("the amount is the total for all attorneys", () => {
  const terms = { start_date: "2026-01-31", bill_immediately: true, note: "" };
  expect(describeBilling({ plan: quarterly, terms, today, attorneys: 212 })).toBe(
    "bill $265,106.00 today, then 01/31/2027, 04/30/2027, 07/31/2027 …",
  );
});

test("nothing is said without a start date", () => {
  const terms = { start_date: null, bill_immediately: true, note: "" };
  expect(describeBilling({ plan: monthly, terms, today, attorneys: 1 })).toBeNull();
});
