import { sql } from "kysely";
import { plainDate } from "#kit/domain/calendar.ts";
import type { Day } from "#kit/domain/day.ts";
import type { Db } from "#kit/db/database.ts";
import { withoutNestedLoops } from "#kit/db/planner-settings.ts";
import { countDueDebits } from "#dues/ledger/billing.ts";

/** Enrolments counted by one SQL statement, well under a second. */
const stepSize = 10_000;

/**
 * Count the debits that are due and not billed, for metrics: once a day in each network, and every time
 * while there are some. It ignores the records of earlier runs and reads every enrolment, so the count is
 * stored. Ends early when `stopping` aborts.
 */
export async function countUnbilled(db: Db, now: string, stopping?: AbortSignal): Promise<void> {
  const { rows: networks } = await sql<{ id: number; today: Day }>`
    select n.id, n.today
    from (select id, local_day(${now}::timestamptz, time_zone) as today from networks) as n
    left join unbilled_counts c on c.network_id = n.id
    -- Networks with an unknown time zone cannot be counted: the alert NotBilled reports them.
    where n.today is not null and (c.network_id is null or c.debits > 0 or c.counted_on < n.today)
    order by n.id`.execute(db);
  for (const network of networks) {
    const debits = await countIn(db, network, stopping);
    if (stopping?.aborted) return;
    const counted = { countedOn: network.today, debits, countedAt: now };
    await db
      .insertInto("unbilledCounts")
      .values({ networkId: network.id, ...counted })
      .onConflict((conflict) => conflict.column("networkId").doUpdateSet(counted))
      .execute();
  }
}

async function countIn(
  db: Db,
  network: { id: number; today: Day },
  stopping?: AbortSignal,
): Promise<number> {
  const asOf = plainDate(network.today);
  let debits = 0;
  for (let after = 0; ;) {
    const upTo = await endOfStep(db, network.id, after);
    if (upTo === null || stopping?.aborted) return debits;
    const step = { networkId: network.id, asOf, after, upTo };
    debits += (await withoutNestedLoops(db, (tx) => countDueDebits(tx, step))).debits;
    after = upTo;
  }
}

/** The last enrolment of the step after `after`; null when none is left. */
async function endOfStep(db: Db, networkId: number, after: number): Promise<number | null> {
  const { rows } = await sql<{ last: number | null }>`
    select max(id) as last from (
      select id from enrolments where network_id = ${networkId} and id > ${after}
      order by id limit ${stepSize}
    ) as step`.execute(db);
  return rows[0]?.last ?? null;
}
