import { sql } from "kysely";
import { type EnrolmentSchedule, dueDate } from "#kit/domain/billing-schedule.ts";
import { plainDate } from "#kit/domain/calendar.ts";
import type { Day } from "#kit/domain/day.ts";
import type { Db } from "#kit/db/database.ts";

/*
 * The day each network is billed through has its own table, so billing neither waits for locks on
 * `networks` nor runs its triggers (docs/decisions/081).
 */

/** A network to bill today; `today` is null if the database does not know its time zone. */
export interface NetworkToBill {
  id: number;
  today: Day | null;
}

/** Networks whose local day has changed since they were last billed. Those that failed last time come last. */
export async function networksToBill(db: Db, now: string): Promise<NetworkToBill[]> {
  const { rows } = await sql<NetworkToBill>`
    select n.id, n.today
    from (select id, local_day(${now}::timestamptz, time_zone) as today from networks) as n
    left join billing_progress p on p.network_id = n.id
    where (p.billed_through is null or n.today is null or p.billed_through < n.today)
    order by p.failed_at nulls first, n.id`.execute(db);
  return rows;
}

/** Record for metrics that a network could not be billed, until one of its runs closes. */
export async function recordBillingFailure(
  db: Db,
  networkId: number,
  failedAt: string,
): Promise<void> {
  await db
    .insertInto("billingProgress")
    .values({ networkId, failedAt })
    .onConflict((conflict) =>
      conflict.column("networkId").doUpdateSet((is) => ({
        failedAt: is.fn.coalesce("billingProgress.failedAt", "excluded.failedAt"),
      })),
    )
    .execute();
}

/** Clear the failure when a run closes: the run records its own failures. */
export async function clearBillingFailure(tx: Db, networkId: number): Promise<void> {
  await tx
    .updateTable("billingProgress")
    .set({ failedAt: null })
    .where("networkId", "=", networkId)
    .where("failedAt", "is not", null)
    .execute();
}

/**
 * Whether a row of `billing_progress` is known to be billed through a day: a run through that day has closed,
 * and PostgreSQL's counts of deleted debits and inserted enrolments have not changed since (docs/decisions/012).
 */
export const isKnownToBeBilled = (day: Day) => sql<boolean>`
  coalesce(billed_through >= ${day}::date and billed_checksum = billing_checksum(), false)`;

/** Store the day that a network is billed through. Only `moveBilledThroughBack` moves it back. */
export async function saveBilledThrough(
  tx: Db,
  networkId: number,
  { asOf, checksum }: { asOf: Day; checksum: string | null },
): Promise<void> {
  await sql`
    insert into billing_progress as p (network_id, billed_through, billed_checksum)
    values (${networkId}, ${asOf}::date, ${checksum}::text)
    on conflict (network_id) do update
    set billed_through = greatest(p.billed_through, excluded.billed_through),
      billed_checksum = coalesce(excluded.billed_checksum, p.billed_checksum)
    where p.billed_through is null or p.billed_through < excluded.billed_through
      or p.billed_checksum is distinct from coalesce(excluded.billed_checksum, p.billed_checksum)`.execute(
    tx,
  );
}

/**
 * Move the network's billed-through day back if a new enrolment's first due date is on or before it, as
 * after a run for a future day.
 */
export async function moveBilledThroughBack(
  tx: Db,
  networkId: number,
  terms: {
    startDate: Day;
    enrolledOn: Day;
    everyMonths: number;
    firstPeriod: number;
    billsImmediately: boolean;
  },
): Promise<void> {
  const schedule: EnrolmentSchedule = {
    startDate: plainDate(terms.startDate),
    everyMonths: terms.everyMonths,
    enrolledOn: plainDate(terms.enrolledOn),
    billImmediately: terms.billsImmediately,
  };
  const nextPeriod = terms.firstPeriod + (terms.billsImmediately ? 1 : 0);
  const dayBefore = dueDate(schedule, nextPeriod).subtract({ days: 1 }).toString();
  await tx
    .updateTable("billingProgress")
    .set({ billedThrough: dayBefore })
    .where("networkId", "=", networkId)
    .where("billedThrough", ">", dayBefore)
    .execute();
}
