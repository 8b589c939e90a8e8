import { sql } from "kysely";
import type { PlainDate } from "#kit/domain/calendar.ts";
import type { AttorneyActor } from "#kit/domain/actor.ts";
import type { Db } from "#kit/db/database.ts";
import { notFound } from "#kit/contract/refusal.ts";
import { isPaused } from "#panel/vacation.ts";
import type { SuspensionStatus } from "./contract.ts";
import { isOverdue, isTooLate, policies, tooLateOn } from "#referrals/suspension/rule.ts";

/** The attorney's overdue reports, and when they cause a suspension. Source: domain rules §6. */
export async function findSuspensionStatus(
  tx: Db,
  actor: AttorneyActor,
  today: PlainDate,
): Promise<SuspensionStatus> {
  const { rows } = await sql<SuspensionStatus>`
    select suspended_at is not null as suspended, suspended_at, suspension_reason as reason,
      overdue, case when suspended_at is null then 0 else must_file end as must_file,
      suspends_on, suspends_on - ${today.toString()}::date as days_left,
      paused_until, ${isPaused(today)} as paused, n.lawyers_set_own_vacation as may_set_vacation
    from attorneys a
    join networks n on n.id = a.network_id
    join ${policies()} as policy on policy.network_id = a.network_id
    cross join lateral (
      select count(*) filter (where ${isOverdue(today)}) as overdue,
        count(*) filter (where ${isTooLate(today)}) as must_file,
        min(m.report_due_on) as oldest
      from matters m
      where m.network_id = a.network_id and m.attorney_id = a.id and m.status = 'open'
    ) as reports
    cross join lateral (
      -- Never before today: an attorney may be due for suspension already.
      select case when policy.suspends and suspended_at is null and oldest is not null
        then greatest(${tooLateOn(sql`oldest`)}, ${today.toString()}::date) end as suspends_on
    ) as warning
    where a.network_id = ${actor.networkId} and a.id = ${actor.attorneyId}`.execute(tx);
  if (!rows[0]) throw notFound("attorney");
  return rows[0];
}
