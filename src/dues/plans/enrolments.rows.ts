import { sql } from "kysely";
import { notFound } from "#kit/contract/refusal.ts";
import { tableJson } from "#kit/db/shape-json.ts";
import { personOrder } from "#kit/db/sort.ts";
import { matchesSearch } from "#kit/db/text-search.ts";
import { attorneyCells } from "#panel/attorney-columns.rows.ts";
import { PlanEnrolment } from "#dues/plans/contract.ts";
import { enrolments } from "#dues/plans/enrolments.list.ts";
import { nextBillingDate } from "#dues/plans/enrolments.ts";
import { rowsOf } from "#kit/list/rows-of.ts";

const withNames = sql`enrolments e
  left join plans p on p.network_id = e.network_id and p.id = e.plan_id
  left join attorneys a on a.network_id = e.network_id and a.id = e.attorney_id`;

/** Joins the amounts billed and owed of each enrolment (alias `e`) as `debited`. */
const withDebited = sql`${withNames}
  left join lateral (
    select sum(d.amount_cents) as billed, sum(d.balance_cents) as owed
    from debits d where d.network_id = e.network_id and d.enrolment_id = e.id) as debited on true`;

/** The same, grouped once for all enrolments. */
const withDebitedOfAll = (networkId: number) => sql`${withNames}
  left join (
    select enrolment_id, sum(amount_cents) as billed, sum(balance_cents) as owed from debits
    where network_id = ${networkId} and enrolment_id is not null group by enrolment_id
  ) as debited on debited.enrolment_id = e.id`;

const billed = sql`coalesce(debited.billed, 0)`;
const owed = sql`coalesce(debited.owed, 0)`;

export const enrolmentRows = rowsOf(enrolments, {
  from: withDebited,
  networkId: sql`e.network_id`,
  key: sql`e.id`,
  columns: {
    enrolment_id: sql`e.id`,
    ...attorneyCells,
    subscription: sql`p.name`,
    note: sql`e.note`,
    payment_schedule: sql`payment_schedule(p.amount_cents, p.frequency_in_months)`,
    start_date: sql`e.start_date`,
    enrolled_on: sql`e.enrolled_on`,
    ended_on: sql`e.archived_at`,
    billed,
    owed,
  },
  filters: {
    search: (search) => matchesSearch(sql`a.search_text`, search),
    state: (state) =>
      state === "active" ? sql`e.archived_at is null` : sql`e.archived_at is not null`,
    plan_id: (id) => sql`e.plan_id = ${id}`,
  },
  refuse: async (tx, { networkId }, { plan_id }) => {
    const { rows } = await sql`
      select from plans where network_id = ${networkId} and id = ${plan_id}`.execute(tx);
    if (rows.length === 0) throw notFound("subscription");
  },
  usual: () => personOrder("a").map((value) => ({ value })),
  item: tableJson(PlanEnrolment, "enrolments as e", {
    attorneyName: attorneyCells.attorney_name.value,
    nextBillingDate,
    endedAt: sql`e.archived_at`,
    billed: sql`${billed}::bigint`,
    owed: sql`${owed}::bigint`,
  }),
  report: {
    from: ({ networkId }) => withDebitedOfAll(networkId),
    times: { created: { instant: sql`e.created_at` } },
    attorneyId: sql`e.attorney_id`,
    order: sql`e.id`,
  },
});
