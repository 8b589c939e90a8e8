import { type RawBuilder, sql } from "kysely";

/*
 * Lock rows of several of these tables in this order, and the rows of each table by id, to avoid deadlocks:
 *
 *   firms, plans, referrals, attorneys, credits, deposits, received checks, debits,
 *   then payments with their shares, card payments and refunds.
 *
 * A new check's number is locked by its trigger, after debits and before payments.
 *
 * Foreign keys lock an attorney so weakly that only a departure conflicts with them. The advisory lock of billing comes
 * before all rows, that of suspension before attorneys. Transactions that write entries share the lock of the network's
 * books; closing the books waits for all of them, and locks no rows. tests/resilience/lock-order.test.ts runs
 * everything that moves money at the same time.
 */

/**
 * The first half of each advisory lock's key; the second says which network, account or record. No two subjects
 * share one, so that unrelated work never waits for each other.
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
 * The second half for a network or another record. A key has 32 bits, and ids may be larger (ID_RANGE); two ids
 * that share a key wait for each other.
 */
export const lockKey = (id: number): RawBuilder<number> =>
  sql`(${id}::bigint % 2147483647)::integer`;
