import { sql } from "kysely";
import type { Admin } from "#kit/domain/actor.ts";
import { notFound } from "#kit/contract/refusal.ts";
import type { Db } from "#kit/db/database.ts";
import { type RawJson, selectJson } from "#kit/db/json-query.ts";
import { builtJson, listJson, tableJson } from "#kit/db/shape-json.ts";
import { Batch, PlanRecord } from "#dues/plans/contract.ts";
import { undoableUntil } from "#dues/plans/enrolment-batches.ts";
import { planFields } from "#dues/plans/plans.ts";

const maxBatches = 5;

const planRecordJson = tableJson(PlanRecord, "plans as p", {
  ...planFields,
  billed: sql`billed`,
  adjusted: sql`adjusted`,
  collected: sql`billed + adjusted - owed`,
  owed: sql`owed`,
  pending: sql`pending`,
  endedCount: sql`(
    select count(*) from enrolments e
    where e.network_id = p.network_id and e.plan_id = p.id and e.archived_at is not null)`,
  batches: listJson(
    tableJson(Batch, "enrolmentBatches as b", { createdBy: sql`u.name`, undoableUntil }),
    {
      from: sql`enrolment_batches b
        left join users u on u.network_id = b.network_id and u.id = b.created_by
        where b.network_id = p.network_id and b.plan_id = p.id and b.enrolments > 0`,
      order: sql`b.id desc`,
      limit: maxBatches,
    },
  ),
});

/**
 * A plan with the amounts billed, adjusted, collected and owed since it was created, in one SQL statement.
 * Collected is billed plus adjusted less owed. Throws 404.
 */
export async function showPlanRecord(
  tx: Db,
  admin: Admin,
  planId: number,
): Promise<RawJson<PlanRecord>> {
  // jsonb orders the fields by length, as the published answer does.
  const inPublishedOrder = builtJson(planRecordJson, sql`${planRecordJson}::jsonb`);
  const found = await selectJson(tx, inPublishedOrder, {
    from: sql`plans p
      cross join lateral (
        select coalesce(sum(d.amount_cents), 0)::bigint as billed,
          coalesce(sum(d.balance_cents), 0)::bigint as owed,
          coalesce(sum(d.pending_cents), 0)::bigint as pending
        from enrolments e join debits d on d.network_id = e.network_id and d.enrolment_id = e.id
        where e.network_id = p.network_id and e.plan_id = p.id
      ) as debited
      cross join lateral (
        select coalesce(sum(l.owed_cents), 0)::bigint as adjusted
        from enrolments e
        join debits d on d.network_id = e.network_id and d.enrolment_id = e.id
        join entries l on l.network_id = d.network_id and l.debit_id = d.id
          and l.cause <> 'charge' and l.cause = 'adjustment'
        where e.network_id = p.network_id and e.plan_id = p.id
      ) as moved
      where p.network_id = ${admin.networkId} and p.id = ${planId}`,
  });
  if (!found) throw notFound("subscription");
  return found;
}
