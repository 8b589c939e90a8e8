import { type RawBuilder, sql } from "kysely";
import type { PlainDate } from "#kit/domain/calendar.ts";
import type { Day } from "#kit/domain/day.ts";

/*
 * When a status report is overdue and when an attorney is suspended for it, as parts of queries. Nothing else decides
 * this. `m` is a matter, `policy` a row of `policies`. Source: domain rules §6.
 */

/** Whether the report on a matter is overdue. */
export const isOverdue = (today: PlainDate | Day) =>
  sql<boolean>`(m.status = 'open' and m.report_due_on < ${today.toString()}::date)`;

/** Rules to preview instead of the network's own; absent ones stay. */
export interface OtherRules {
  enabled?: boolean | undefined;
  threshold?: number | undefined;
}

/** Each network's `network_id`, `time_zone`, whether it `suspends`, and after how many days a report is too late. */
export const policies = ({ enabled, threshold }: OtherRules = {}) => sql`(
  select id as network_id, time_zone, coalesce(${enabled ?? null}::boolean, suspends_overdue_attorneys) as suspends,
    coalesce(${threshold ?? null}::integer, overdue_periods_suspension_threshold) * overdue_period_in_days
      as tolerated_days
  from networks)`;

/** Whether a report is so late that its attorney must be suspended, if the policy suspends. */
export const isTooLate = (today: PlainDate | Day) => isTooLateOn(sql`${today.toString()}::date`);

const isTooLateOn = (today: RawBuilder<unknown>) =>
  sql<boolean>`(m.status = 'open' and m.report_due_on < ${today} - policy.tolerated_days)`;

/** The first day on which a report due on a given day is too late. */
export const tooLateOn = (dueOn: RawBuilder<unknown>) =>
  sql<Day>`(${dueOn} + policy.tolerated_days + 1)`;

interface DecisionsOf {
  networkId: number;
  today: PlainDate;
  /** Only this attorney; everybody unless given. */
  attorneyId?: number | null;
  rules?: OtherRules;
  /** Other matters than the network's: rows of network_id, attorney_id, status, report_due_on. */
  matters?: RawBuilder<unknown>;
}

/** Each attorney on the panel (`network_id`, `id`), whether the rule says `must_suspend` on a day, and the `reason`. */
export function suspensionDecisions({
  networkId,
  today,
  attorneyId = null,
  rules,
  matters,
}: DecisionsOf) {
  const day = today.toString();
  return decisions({
    policy: sql`select *, ${day}::date as today from ${policies(rules)} as policy where network_id = ${networkId}`,
    networkId,
    attorneyId,
    matters: matters ?? sql`matters`,
  });
}

/**
 * The same for every network, each as of its own day at an instant (ISO 8601). Networks with an unknown time zone are
 * left out.
 */
export const suspensionDecisionsEverywhere = (now: string) =>
  decisions({
    policy: sql`
      select * from (
        select policy.*, local_day(${now}::timestamptz, time_zone) as today from ${policies()} as policy
      ) as policy
      where today is not null`,
    networkId: null,
    attorneyId: null,
    matters: sql`matters`,
  });

/** `policy` selects rows of `policies`, each with its `today`; null means every network or attorney. */
function decisions({
  policy,
  networkId,
  attorneyId,
  matters,
}: {
  policy: RawBuilder<unknown>;
  networkId: number | null;
  attorneyId: number | null;
  matters: RawBuilder<unknown>;
}) {
  // Repeated for each table: PostgreSQL uses an index with values sooner than with the result of a join.
  const isOf = (networkColumn: string, attorneyColumn: string) =>
    sql.join(
      [
        ...(networkId === null ? [] : [sql`and ${sql.ref(networkColumn)} = ${networkId}`]),
        ...(attorneyId === null ? [] : [sql`and ${sql.ref(attorneyColumn)} = ${attorneyId}`]),
      ],
      sql` `,
    );
  return sql`(
  with policy as materialized (${policy})
  select a.network_id, a.id, late.reports is not null as must_suspend,
    case
      when not policy.suspends then 'Automatic suspensions are switched off.'
      when late.reports is null then 'No report is overdue beyond the grace period.'
      else late.reports || case late.reports when 1 then ' status report is' else ' status reports are' end
        || case policy.tolerated_days when 0 then ' late' when 1 then ' more than 1 day late'
          else ' more than ' || policy.tolerated_days || ' days late' end
        || ', the oldest due ' || to_char(late.oldest, 'MM/DD/YYYY') || '.'
    end as reason
  from attorneys a
  join policy on policy.network_id = a.network_id
  -- Added up once for all: one by one, each attorney's may be found by reading everybody's.
  left join (
    select m.network_id, m.attorney_id, count(*) as reports, min(m.report_due_on) as oldest
    from ${matters} as m
    join policy on policy.network_id = m.network_id
    where ${isTooLateOn(sql`policy.today`)} ${isOf("m.network_id", "m.attorney_id")}
    group by m.network_id, m.attorney_id
  ) as late on late.network_id = a.network_id and late.attorney_id = a.id and policy.suspends
  where a.left_on is null ${isOf("a.network_id", "a.id")})`;
}
