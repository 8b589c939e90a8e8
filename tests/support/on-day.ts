import { Temporal } from "temporal-polyfill";
import { plainDate } from "#kit/domain/calendar.ts";
import type { Day } from "#kit/domain/day.ts";
import type { Db } from "#kit/db/database.ts";
import { inTransaction } from "#kit/db/transaction.ts";
import { turnClock } from "#main/demo/demo-network.ts";
import type { MadeNetwork } from "#main/demo/records/networks.ts";

/** Set the database's clock in this transaction to a past date of a network whose time zone is UTC. */
export async function turnTo(tx: Db, network: MadeNetwork, day: Day): Promise<void> {
  const now = Temporal.Now.instant();
  const today = now.toZonedDateTimeISO("UTC").toPlainDate();
  await turnClock(tx, { ...network, timeZone: "UTC", now, today }, plainDate(day));
}

/** Do something on a past date, in a transaction of its own. */
export async function onDay<Done>(
  db: Db,
  network: MadeNetwork,
  day: Day,
  work: (tx: Db) => Promise<Done>,
): Promise<Done> {
  return await inTransaction(db, async (tx) => {
    await turnTo(tx, network, day);
    return await work(tx);
  });
}
