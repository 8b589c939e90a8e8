import { sql } from "kysely";
import type { Db } from "#kit/db/database.ts";
import { withoutNestedLoops } from "#kit/db/planner-settings.ts";
import { policies, tooLateOn } from "#referrals/suspension/rule.ts";

/**
 * Queue today's reminders, each once: to attorneys with a report due today, and to those who will be suspended unless
 * they file, once within 7 days and once on the day before. A warning missed while no worker ran is sent later. `now`
 * is an ISO 8601 instant; each network's own day counts. One statement for all networks.
 */
export async function queueReminders(db: Db, now: string): Promise<void> {
  const reminders = sql`
    with days as (
      select policy.*, local_day(${now}::timestamptz, n.time_zone) as today
      from networks n join ${policies()} as policy on policy.network_id = n.id
    ), owed as (
      select policy.network_id, policy.today, policy.suspends, m.attorney_id, min(m.report_due_on) as due_on,
        ${tooLateOn(sql`min(m.report_due_on)`)} as suspended_on,
        count(*) filter (where m.report_due_on = policy.today) as due_today
      from days as policy
      -- Without a grace period, warnings come before the report is due.
      join matters m on m.network_id = policy.network_id and m.status = 'open'
        and m.report_due_on <= policy.today + 6
      group by policy.network_id, policy.today, policy.suspends, policy.tolerated_days, m.attorney_id
    ), owing as (
      select owed.*, a.email, a.first_name, a.suspended_at
      from owed join attorneys a on a.network_id = owed.network_id and a.id = owed.attorney_id
        and a.left_on is null
    ), reminders as (
      select network_id, attorney_id, 'report due:' || attorney_id || ':' || today as occasion, email,
        json_build_object('kind', 'reports due', 'firstName', first_name, 'reports', due_today) as facts
      from owing where due_today > 0
      union all
      select network_id, attorney_id, 'suspension warning:' || attorney_id || ':' || suspended_on
          || case when suspended_on - today > 1 then ':week' else ':day' end, email,
        json_build_object('kind', 'suspension warning', 'firstName', first_name, 'today', today,
          'dueOn', due_on, 'suspendedOn', suspended_on)
      from owing
      where suspends and suspended_on - today between 1 and 7 and suspended_at is null
    )
    insert into mails (is_bulk, network_id, attorney_id, occasion, recipient, facts, page_path)
    select true, network_id, attorney_id, occasion, email, facts, '/dashboard/referrals'
    from reminders
    order by network_id, attorney_id, occasion
    on conflict (network_id, occasion) do nothing`;
  await withoutNestedLoops(db, (tx) => reminders.execute(tx));
}
