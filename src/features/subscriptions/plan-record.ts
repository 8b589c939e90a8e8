import { type RawBuilder, sql, type SqlBool } from "kysely";
import type { z } from "zod";
import type { Admin } from "#domain/actor.ts";
import type { Page } from "#contract/page.ts";
import { notFound } from "#contract/refusal.ts";
import type { Db } from "#db/database.ts";
import { jsonQuery, type RawJson } from "#db/json-query.ts";
import { matchesSearch } from "#db/text-search.ts";
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
            select b.id, jsonb_build_object('id', b.id, 'createdAt', iso(b.created_at),
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

/** A plan's enrolments by last name: one page, with the total. Throws 404. */
export async function listEnrolmentsOfPlan(
  tx: Db,
  admin: Admin,
  planId: number,
  wanted: z.output<typeof listPlanEnrolments.query>,
): Promise<Page<PlanEnrolment>> {
  await refuseUnknownPlan(tx, admin, planId);
  const matches: RawBuilder<SqlBool> = wanted.search
    ? matchesSearch(sql`a.search_text`, wanted.search)
    : sql`true`;
  const isInState = wanted.state === "active" ? sql`is null` : sql`is not null`;
  const { rows } = await sql<{ total: number; ids: number[] }>`
    with found as materialized (
      select e.id, lower(a.last_name) as last_name, lower(a.first_name) as first_name
      from enrolments e join attorneys a on a.network_id = e.network_id and a.id = e.attorney_id
      where e.network_id = ${admin.networkId} and e.plan_id = ${planId}
        and e.archived_at ${isInState} and ${matches}
    )
    select (select count(*) from found) as total, to_json(array(
      select id from found order by last_name, first_name, id
      limit ${wanted.per_page} offset ${(wanted.page - 1) * wanted.per_page})) as ids`.execute(tx);
  const { total = 0, ids = [] } = rows[0] ?? {};
  const page = await sql<PlanEnrolment>`
    select e.id, e.attorney_id, a.first_name || ' ' || a.last_name as attorney_name, e.note,
      e.start_date, e.enrolled_on, ${nextBillingDate} as next_billing_date,
      iso(e.archived_at) as ended_at, debited.billed, debited.owed
    from enrolments e
    join plans p on p.network_id = e.network_id and p.id = e.plan_id
    join attorneys a on a.network_id = e.network_id and a.id = e.attorney_id
    cross join lateral (
      select coalesce(sum(d.amount_cents), 0)::bigint as billed,
        coalesce(sum(d.balance_cents), 0)::bigint as owed
      from debits d where d.network_id = e.network_id and d.enrolment_id = e.id
    ) as debited
    where e.network_id = ${admin.networkId} and e.id = any(${ids}::bigint[])
    order by array_position(${ids}::bigint[], e.id)`.execute(tx);
  return { items: page.rows, total, page: wanted.page, perPage: wanted.per_page };
}

async function refuseUnknownPlan(tx: Db, admin: Admin, planId: number): Promise<void> {
  const plan = await tx
    .selectFrom("plans")
    .select("id")
    .where("networkId", "=", admin.networkId)
    .where("id", "=", planId)
    .executeTakeFirst();
  if (!plan) throw notFound("subscription");
}
