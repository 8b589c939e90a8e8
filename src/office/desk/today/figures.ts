import { sql } from "kysely";
import type { PlainDate } from "#kit/domain/calendar.ts";
import type { Admin } from "#kit/domain/actor.ts";
import type { Db } from "#kit/db/database.ts";
import type { Overview } from "#office/desk/today/contract.ts";

type Network = Pick<Admin, "networkId" | "timeZone">;

/**
 * What was billed and received in each of the network's last twelve months, from the entries only and by their day, as
 * in the journal: over all time, billed less received equals the amount owed less credit. Each month is one index range.
 */
export async function monthsUntil(
  tx: Db,
  { networkId }: Network,
  today: PlainDate,
): Promise<Overview["months"]> {
  const first = today.with({ day: 1 }).subtract({ months: 11 }).toString();
  const { rows } = await sql<Overview["months"][number]>`
    select m.first_on as month, l.billed, p.received + c.received as received
    from (
      select first_on::date, (first_on + interval '1 month')::date as ends_before
      from generate_series(${first}::timestamp, ${today.toString()}::timestamp, interval '1 month') as first_on
    ) as m
    cross join lateral (
      select coalesce(sum(owed_cents), 0)::bigint as billed from entries
      where network_id = ${networkId} and cause in ('charge', 'adjustment')
        and day >= m.first_on and day < m.ends_before
    ) as l
    cross join lateral (
      select coalesce(-sum(owed_cents), 0)::bigint as received from entries
      where network_id = ${networkId} and cause in ('payment', 'reversal')
        and day >= m.first_on and day < m.ends_before
    ) as p
    cross join lateral (
      -- Without credit applied to debits: that money was received earlier.
      select coalesce(sum(credit_cents), 0)::bigint as received from entries
      where network_id = ${networkId} and cause in ('credit_received', 'credit_given_back', 'credit_reversed')
        and day >= m.first_on and day < m.ends_before
    ) as c
    order by m.first_on`.execute(tx);
  return rows;
}

/** Referrals made and retained in each of the network's last twelve weeks, from Monday. */
export async function weeksUntil(
  tx: Db,
  { networkId, timeZone }: Network,
  today: PlainDate,
): Promise<Overview["referrals"]> {
  const first = mondayOf(today).subtract({ weeks: 11 }).toString();
  const { rows } = await sql<Overview["referrals"][number]>`
    with retained as (
      -- Only the first such report of each referral.
      select date_trunc('week', r.filed_on::timestamp) as monday, count(*) as referrals from matter_reports r
      where r.network_id = ${networkId} and r.outcome = 'retained' and r.filed_on >= ${first}::date
        and not exists (
          select from matter_reports earlier
          where earlier.network_id = r.network_id and earlier.matter_id = r.matter_id
            and earlier.outcome = 'retained' and (earlier.filed_on, earlier.id) < (r.filed_on, r.id))
      group by monday
    )
    select w.monday::date as week, coalesce(retained.referrals, 0) as retained, (
        -- Counted when first made: reassigning or withdrawing later changes no past week.
        select count(*) from matter_referrals r
        where r.network_id = ${networkId} and r.referred_at >= w.monday at time zone ${timeZone}
          and r.referred_at < (w.monday + interval '7 days') at time zone ${timeZone}
          and not exists (
            select from matter_referrals earlier
            where earlier.network_id = r.network_id and earlier.matter_id = r.matter_id and earlier.id < r.id)
      ) as made
    from generate_series(${first}::timestamp, ${today.toString()}::timestamp, interval '7 days') as w(monday)
    left join retained on retained.monday = w.monday
    order by w.monday`.execute(tx);
  return rows;
}

export const mondayOf = (day: PlainDate): PlainDate => day.subtract({ days: day.dayOfWeek - 1 });
