import { sql } from "kysely";
import type { z } from "zod";
import type { Admin } from "#domain/actor.ts";
import type { PlainDate } from "#domain/calendar.ts";
import { type Cents, zero } from "#domain/money.ts";
import { notFound } from "#contract/refusal.ts";
import type { Db } from "#db/database.ts";
import { jsonQuery, type RawJson } from "#db/json-query.ts";
import { byPerson, orderBy, personOrder } from "#db/sort.ts";
import { isListedEnrolment, withDebited } from "#features/lists/enrolments.ts";
import type { listPlanEnrolments, PlanEnrolment } from "#features/subscriptions/contract.ts";
import { undoableUntil } from "#features/subscriptions/enrolment-batches.ts";
import { nextBillingDate } from "#features/subscriptions/enrolments.ts";
import { planJson } from "#features/subscriptions/plans.ts";

const shownBatches = 5;

/**
 * A plan with what was billed for it since it was defined, what was adjusted and collected, and what is
 * still owed: one statement. What was collected is what the entries of its debits leave. Throws 404.
 */
export async function showPlanRecord(tx: Db, admin: Admin, planId: number): Promise<RawJson> {
  const found = await jsonQuery(
    tx,
    sql<{ body: string }>`
      select (${planJson}::jsonb || jsonb_build_object(
        'billed', dollars(billed), 'adjusted', dollars(adjusted),
        'collected', dollars(billed + adjusted - owed), 'owed', dollars(owed),
        'pending', dollars(pending), 'endedCount', (
          select count(*) from enrolments e where e.network_id = p.network_id and e.plan_id = p.id
            and e.archived_at is not null),
        'batches', (
          select coalesce(jsonb_agg(batch.body order by batch.id desc), '[]') from (
            select b.id, jsonb_build_object('id', b.id, 'ofAll', b.of_all, 'createdAt', iso(b.created_at),
              'createdBy', u.name, 'enrolments', b.enrolments, 'undoneAt', iso(b.undone_at),
              'undoableUntil', ${undoableUntil}) as body
            from enrolment_batches b left join users u on u.network_id = b.network_id and u.id = b.created_by
            where b.network_id = p.network_id and b.plan_id = p.id and b.enrolments > 0
            order by b.id desc limit ${shownBatches}) as batch)
      ))::text as body
      from plans p
      cross join lateral (
        select coalesce(sum(d.amount_cents), 0)::bigint as billed,
          coalesce(sum(d.balance_cents), 0)::bigint as owed,
          coalesce(sum(d.pending_cents), 0)::bigint as pending
        from enrolments e join debits d on d.network_id = e.network_id and d.enrolment_id = e.id
        where e.network_id = p.network_id and e.plan_id = p.id
      ) as debited
      cross join lateral (
        select coalesce(sum(l.amount_cents), 0)::bigint as adjusted
        from enrolments e
        join debits d on d.network_id = e.network_id and d.enrolment_id = e.id
        join ledger_entries l on l.network_id = d.network_id and l.debit_id = d.id
          and l.kind <> 'charge' and l.kind = 'adjustment'
        where e.network_id = p.network_id and e.plan_id = p.id
      ) as moved
      where p.network_id = ${admin.networkId} and p.id = ${planId}`,
  );
  if (!found) throw notFound("subscription");
  return found;
}

/** A plan's enrolments by last name: one page, with the totals of all. Throws 404. */
export async function listEnrolmentsOfPlan(
  tx: Db,
  admin: Admin,
  planId: number,
  { page, per_page, sort, ...filters }: z.output<typeof listPlanEnrolments.query>,
  today: PlainDate,
): Promise<z.output<typeof listPlanEnrolments.object>> {
  await refuseUnknownPlan(tx, admin, planId);
  const context = { ...admin, today: today.toString() };
  const which = isListedEnrolment(context, { ...filters, plan_id: planId });
  const order = orderBy(sort, orders, { usual: byPerson("e"), tie: sql`e.id` });
  const { rows } = await sql<FoundEnrolments>`
    with found as materialized (
      select e.id, e.start_date, e.archived_at, debited.*,
        a.last_name, a.first_name
      from enrolments e join attorneys a on a.network_id = e.network_id and a.id = e.attorney_id
        ${withDebited} where ${which}
    )
    select count(*) as total, coalesce(sum(billed), 0)::bigint as billed,
      coalesce(sum(owed), 0)::bigint as owed, to_json(array(
        select id from found e order by ${order}
        limit ${per_page} offset ${(page - 1) * per_page})) as ids
    from found`.execute(tx);
  const { total = 0, ids = [], billed = zero, owed = zero } = rows[0] ?? {};
  const items = await sql<PlanEnrolment>`
    select e.id, e.attorney_id, a.first_name || ' ' || a.last_name as attorney_name, e.note,
      e.start_date, e.enrolled_on, ${nextBillingDate} as next_billing_date,
      iso(e.archived_at) as ended_at, debited.billed, debited.owed
    from enrolments e
    join plans p on p.network_id = e.network_id and p.id = e.plan_id
    join attorneys a on a.network_id = e.network_id and a.id = e.attorney_id ${withDebited}
    where e.network_id = ${admin.networkId} and e.id = any(${ids}::bigint[])
    order by array_position(${ids}::bigint[], e.id)`.execute(tx);
  return { items: items.rows, total, page, perPage: per_page, totals: { billed, owed } };
}

interface FoundEnrolments {
  total: number;
  billed: Cents;
  owed: Cents;
  /** Of one page, in their order. */
  ids: number[];
}

const orders = {
  attorney: personOrder("e"),
  since: sql`e.start_date`,
  ended: sql`e.archived_at`,
  billed: sql`e.billed`,
  owed: sql`e.owed`,
};

async function refuseUnknownPlan(tx: Db, admin: Admin, planId: number): Promise<void> {
  const plan = await tx
    .selectFrom("plans")
    .select("id")
    .where("networkId", "=", admin.networkId)
    .where("id", "=", planId)
    .executeTakeFirst();
  if (!plan) throw notFound("subscription");
}
