import { expect, test } from "vitest";
import { creditSentence } from "#kit/domain/credit-words.ts";
import { cents } from "#kit/domain/money.ts";

test.each([
  [0, "It will be used for later dues and is not part of the balance."],
  [1200, "It is not part of the balance. After using it, $7.00 is owed."],
  [500, "It is not part of the balance. After using it, nothing is owed."],
])("a statement with credit says of %i cents owed: %s", (closing, says) => {
  const amounts = { credit: cents(500), closing: cents(closing) };
  expect(creditSentence({ ...amounts, asOf: "2026-05-31" })).toBe(
    `Credit on 05/31/2026: $5.00. ${says}`,
  );
});
