import { type RawBuilder, sql } from "kysely";

/*
 * Whoever locks rows of several of these tables locks them in this order, and the rows of each table by id, so
 * that nobody waits in a circle:
 *
 *   firms, plans, referrals, attorneys, credits, deposits, received checks, debits,
 *   then payments with their shares, card payments and refunds.
 *
 * The number of a check that is recorded is locked by its trigger, after debits and before payments.
 *
 * Foreign keys lock an attorney so weakly that only a departure and they wait for each other. The advisory lock of
 * billing comes before all rows, that of suspension before attorneys. Each transaction that writes entries shares the
 * lock of the network's books with the others; closing the books waits for them all, and locks no rows.
 * tests/resilience/money-in-one-order.test.ts has everybody who moves money at work at once.
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
  checkNumber: 13, // taken by the trigger of received_checks
  books: 14, // shared by the trigger of entries
} as const;

/**
 * The second half for a network or another record: a key has 32 bits, and ids of a range may be larger (ID_RANGE). Two that share one wait for each other.
 */
export const lockKey = (id: number): RawBuilder<number> =>
  sql`(${id}::bigint % 2147483647)::integer`;
