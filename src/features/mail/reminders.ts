import { sql } from "kysely";
import type { Db } from "#server/database.ts";

/**
 * Put today's reminders into the outbox, each once: to attorneys whose report falls due today, and
 * to those who will be suspended in 7 days or in 1 day unless they file. `now` is an ISO 8601
 * instant; each network's own day counts. Set-based: one statement for all networks.
 */
export async function queueReminders(db: Db, now: string, publicUrl: string): Promise<void> {
  await sql`
    with today as (
      select n.id as network_id, (${now}::timestamptz at time zone n.time_zone)::date as today,
        n.suspends_overdue_attorneys as suspends,
        n.overdue_periods_suspension_threshold * n.overdue_period_in_days as tolerated
      from networks n
    ), earliest as (
      select m.network_id, m.attorney_id, min(m.report_due_on) as due_on,
        count(*) filter (where m.report_due_on = today.today) as due_today
      from matters m join today on today.network_id = m.network_id
      where m.status = 'open' and m.report_due_on <= today.today
      group by m.network_id, m.attorney_id
    ), standing as (
      select e.*, today.today, today.suspends, a.first_name, a.email,
        e.due_on + today.tolerated + 1 as suspended_on,
        e.due_on + today.tolerated + 1 - today.today as days_left
      from earliest e
      join today on today.network_id = e.network_id
      join attorneys a on a.network_id = e.network_id and a.id = e.attorney_id
      where a.suspended_at is null
    )
    insert into mails (network_id, occasion, recipient, subject, body)
    select network_id, 'report due:' || attorney_id || ':' || today, email,
      case due_today when 1 then 'A status report is due today' else due_today || ' status reports are due today' end,
      'Dear ' || first_name || E',\n\n'
        || case due_today when 1 then 'the status report on one of your referrals is'
           else 'status reports on ' || due_today || ' of your referrals are' end
        || E' due today. Filing takes under a minute:\n\n' || ${`${publicUrl}/dashboard/referrals`}
    from standing where due_today > 0
    union all
    select network_id, 'suspension warning:' || attorney_id || ':' || suspended_on || ':' || days_left, email,
      'You will be suspended on ' || to_char(suspended_on, 'MM/DD/YYYY') || ' unless you report',
      'Dear ' || first_name || E',\n\na status report that was due on ' || to_char(due_on, 'MM/DD/YYYY')
        || ' has not been filed. On ' || to_char(suspended_on, 'MM/DD/YYYY') || ', in '
        || case days_left when 1 then '1 day' else days_left || ' days' end
        || E', you will be suspended and receive no new referrals until it is.\n\nFile it here:\n\n'
        || ${`${publicUrl}/dashboard/referrals`}
    from standing where suspends and days_left in (7, 1)
    on conflict (network_id, occasion) do nothing`.execute(db);
}
