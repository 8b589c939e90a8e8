import { sql } from "kysely";
import type { Db } from "#db/database.ts";
import { withWholeSets } from "#db/whole-sets.ts";

/**
 * Put today's reminders into the outbox, each once: to attorneys whose report falls due today, and
 * to those who will be suspended unless they file, once within 7 days of it and once on the last day
 * before. A warning whose day went by while no worker ran is made up for. `now` is an ISO 8601
 * instant; each network's own day counts. Set-based: one statement for all networks.
 */
export async function queueReminders(db: Db, now: string): Promise<void> {
  const reminders = sql`
    with days as (
      select n.id as network_id, (${now}::timestamptz at time zone n.time_zone)::date as today,
        n.suspends_overdue_attorneys as suspends,
        n.overdue_periods_suspension_threshold * n.overdue_period_in_days as tolerated
      from networks n
    ), standing as (
      select days.*, m.attorney_id, min(m.report_due_on) as due_on,
        min(m.report_due_on) + days.tolerated + 1 as suspended_on,
        min(m.report_due_on) + days.tolerated + 1 - days.today as days_left,
        count(*) filter (where m.report_due_on = days.today) as due_today
      from days
      -- Within a grace period of no days, the warnings come before the report is even due.
      join matters m on m.network_id = days.network_id and m.status = 'open'
        and m.report_due_on <= days.today + 6
      group by days.network_id, days.today, days.suspends, days.tolerated, m.attorney_id
    ), reminders as (
      select network_id, attorney_id, 'report due:' || attorney_id || ':' || today as occasion,
        case due_today when 1 then 'A status report is due today'
          else due_today || ' status reports are due today' end as subject,
        case due_today when 1 then 'The status report on one of your referrals is'
          else 'Status reports on ' || due_today || ' of your referrals are' end
          || ' due today. Filing takes under a minute:' as says
      from standing where due_today > 0
      union all
      select s.network_id, attorney_id, 'suspension warning:' || attorney_id || ':' || suspended_on
          || case when days_left > 1 then ':week' else ':day' end,
        'You will be suspended on ' || to_char(suspended_on, 'MM/DD/YYYY') || ' unless you report',
        'A status report ' || case when due_on < today then 'that was due on ' else 'due on ' end
          || to_char(due_on, 'MM/DD/YYYY') || ' has not been filed. On '
          || to_char(suspended_on, 'MM/DD/YYYY') || ', '
          || case days_left when 1 then 'tomorrow' else 'in ' || days_left || ' days' end
          || E', you will be suspended and receive no new referrals until it is.\n\nFile it here:'
      from standing s
      join attorneys a on a.network_id = s.network_id and a.id = s.attorney_id
      where suspends and days_left between 1 and 7 and a.suspended_at is null
    )
    insert into mails (network_id, occasion, recipient, subject, body, page_path)
    select r.network_id, occasion, a.email, subject,
      'Dear ' || a.first_name || E',\n\n' || says, '/dashboard/referrals'
    from reminders r
    join attorneys a on a.network_id = r.network_id and a.id = r.attorney_id
    order by r.network_id, r.attorney_id, occasion
    on conflict (network_id, occasion) do nothing`;
  await withWholeSets(db, (tx) => reminders.execute(tx));
}
