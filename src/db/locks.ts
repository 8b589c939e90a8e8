/**
 * The first half of each advisory lock's key; the second says which network, account or record.
 * No two subjects share one, so that unrelated work never waits for each other.
 */
export const lockOf = {
  billing: 1,
  suspension: 2,
  signIn: 4,
  demo: 5,
  import: 7,
  linkRequest: 8,
  billingRun: 9,
  copy: 10,
  deposit: 11,
  networkMove: 12,
} as const;
