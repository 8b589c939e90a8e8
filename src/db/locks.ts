import { type RawBuilder, sql } from "kysely";

/*
 * Rows are locked in one order, each kind by id: received checks, attorneys or credit, debits, shares, card payments.
 * A transaction may leave out some; it never goes back to an earlier kind. Two that keep to it cannot deadlock.
 */

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

/**
 * The second half for a network or another record: a key has 32 bits, and ids of a cell's range may be larger
 * (docs/operations.md, "Ids"). Two that share one wait for each other.
 */
export const lockKey = (id: number): RawBuilder<number> =>
  sql`(${id}::bigint % 2147483647)::integer`;
