import { sql } from "kysely";

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

/** The second half for a network: halves are of four bytes, ids of networks of eight. Two may share one; they wait then. */
export const networkKey = (networkId: number) => sql`(${networkId}::bigint % 2147483647)::integer`;
