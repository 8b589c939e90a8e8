import { appendFileSync } from "node:fs";
import { expect } from "vitest";

/**
 * How much of an endless set of random cases is tried: a little in `npm test`, so that it takes minutes, and
 * all in `npm run test:full`, which prints a table of the amounts.
 */
export function rounds(inBrief: number, fullAmounts: number): number {
  const amount = inBriefOr(inBrief, fullAmounts);
  const report = process.env["TEST_REPORT"];
  const path = expect.getState().testPath;
  if (report) appendFileSync(`${report}.rounds`, `${JSON.stringify({ path, amount })}\n`);
  return amount;
}

/** The same for other values than a number of rounds: sizes, lists, expectations. */
export function inBriefOr<Amount>(inBrief: Amount, fullAmounts: Amount): Amount {
  return process.env["TEST_ROUNDS"] === "full" ? fullAmounts : inBrief;
}
