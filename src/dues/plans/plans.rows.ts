import { sql } from "kysely";
import { plans } from "#dues/plans/plans.list.ts";
import { planJson } from "#dues/plans/plans.ts";
import { rowsOf } from "#kit/list/rows-of.ts";

export const planRows = rowsOf(plans, {
  from: ({ networkId }) => sql`plans p
    left join (
      select e.plan_id, sum(d.amount_cents) as billed, sum(d.balance_cents) as owed
      from debits d join enrolments e on e.network_id = d.network_id and e.id = d.enrolment_id
      where d.network_id = ${networkId} group by e.plan_id
    ) as debited on debited.plan_id = p.id`,
  networkId: sql`p.network_id`,
  key: sql`p.id`,
  columns: {
    subscription_id: sql`p.id`,
    name: sql`p.name`,
    description: sql`p.description`,
    payment_schedule: sql`payment_schedule(p.amount_cents, p.frequency_in_months)`,
    amount: sql`p.amount_cents`,
    enrolled: sql`p.enrolled_count`,
    billed: sql`coalesce(debited.billed, 0)`,
    owed: sql`coalesce(debited.owed, 0)`,
    created_on: sql`p.created_at`,
    archived_on: sql`p.archived_at`,
  },
  filters: {},
  always: () => sql`p.archived_at is null`,
  usual: () => [{ value: sql`p.id`, isDescending: true, isNeverNull: true }],
  item: planJson,
  report: { times: {}, order: sql`p.id desc` },
});
