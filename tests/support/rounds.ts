/**
 * How much is tried of what chance or size has no end of: a little in `npm test`, so that it fits in
 * minutes, and all of it in `npm run test:full`.
 */
export function rounds<Amount>(inBrief: Amount, inFull: Amount): Amount {
  return process.env["TEST_ROUNDS"] === "full" ? inFull : inBrief;
}
