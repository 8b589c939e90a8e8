import { appendFileSync } from "node:fs";
import { expect } from "vitest";

/**
 * How much is tried of what chance has no end of: a little in `npm test`, so that it fits in minutes, and
 * all of it in `npm run test:full`, which says in a table how much that was.
 */
export function rounds(inBrief: number, inFull: number): number {
  const amount = inBriefOr(inBrief, inFull);
  const report = process.env["TEST_REPORT"];
  const path = expect.getState().testPath;
  if (report) appendFileSync(`${report}.rounds`, `${JSON.stringify({ path, amount })}\n`);
  return amount;
}

/** The same for what is no number of rounds: sizes, lists, what is expected of them. */
export function inBriefOr<Amount>(inBrief: Amount, inFull: Amount): Amount {
  return process.env["TEST_ROUNDS"] === "full" ? inFull : inBrief;
}
