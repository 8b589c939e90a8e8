import { type RawBuilder, sql } from "kysely";
import type { Day } from "#kit/domain/day.ts";
import type { Db } from "#kit/db/database.ts";

/** The network's current day, by the clock that the transaction reads. */
export const networkDay = (networkId: number): RawBuilder<Day> =>
  sql<Day>`(select network_day(${networkId}))`;

/** As `networkDay`, read. */
export async function readNetworkDay(tx: Db, networkId: number): Promise<Day> {
  const { day } = await tx.selectNoFrom(networkDay(networkId).as("day")).executeTakeFirstOrThrow();
  return day;
}
