import { expect, test } from "vitest";
import { journal } from "#dues/ledger/journal/journal.list.ts";

test.each([
  ["receivable", "Accounts receivable"],
  ["held", "Held for payers"],
  ["bank:Operating: main", "Bank: Operating: main"],
  ["clearing:stripe (unapplied)", "Card clearing: Stripe (unapplied)"],
  ["dues_income:Panel dues", "Dues income: Panel dues"],
  ["something else", "something else"],
])("the filter for %s names the account %s", (account, name) => {
  const { words } = journal.filters.account;
  expect(words(account, undefined)).toBe(`of the account ${name}`);
  expect(words(account, "Trust account")).toBe("of the account Trust account");
});
