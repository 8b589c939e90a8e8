import { sql } from "kysely";
import type { PlainDate } from "#kit/domain/calendar.ts";
import type { Admin } from "#kit/domain/actor.ts";
import { audit } from "#kit/db/audit.ts";
import { notifyOnCommit } from "#kit/db/changes.ts";
import type { Db } from "#kit/db/database.ts";
import { type RawJson, selectJsonOrThrow } from "#kit/db/json-query.ts";
import { tableJson } from "#kit/db/shape-json.ts";
import { notFound, Refusal } from "#kit/contract/refusal.ts";
import { disableNestedLoops } from "#kit/db/planner-settings.ts";
import { createDueDebits } from "#dues/ledger/billing.ts";
import { type NewPlan, Plan } from "#dues/plans/contract.ts";

/** The fields of a plan (alias `p`) that are not its columns. */
export const planFields = {
  paymentSchedule: sql`payment_schedule(p.amount_cents, p.frequency_in_months)`,
  archived: sql`p.archived_at is not null`,
};

/** A plan as JSON of the published interface. */
export const planJson = tableJson(Plan, "plans as p", planFields);

/** Define a plan that attorneys of the administrator's network can be enrolled in. */
export async function definePlan(tx: Db, admin: Admin, wanted: NewPlan): Promise<RawJson<Plan>> {
  const plan = await tx
    .insertInto("plans")
    .values({
      networkId: admin.networkId,
      name: wanted.name,
      description: wanted.description,
      amountCents: wanted.payment_amount,
      frequencyInMonths: wanted.payment_frequency_in_months,
    })
    .returning(["id", "name", "amountCents", "frequencyInMonths"])
    .executeTakeFirstOrThrow();
  await audit(tx, admin, {
    action: "defined",
    recordType: "plan",
    recordId: plan.id,
    after: plan,
  });
  return await showPlan(tx, admin, plan.id);
}

/**
 * Archive a plan and end every enrolment in it, for good. Periods due by today are billed first, as a run
 * would do; nothing is billed after. Throws 404, or 409 if already archived.
 */
export async function archivePlanAndEnrolments(
  tx: Db,
  admin: Admin,
  planId: number,
  today: PlainDate,
): Promise<RawJson<Plan>> {
  const plan = await lockPlan(tx, admin.networkId, planId);
  if (plan.archivedAt) throw new Refusal(409, "This subscription has already been archived.");
  await disableNestedLoops(tx);
  await createDueDebits(tx, { networkId: admin.networkId, asOf: today, planId });
  const ended = await tx
    .updateTable("enrolments")
    .set({ archivedAt: sql<string>`clock()` })
    .where("networkId", "=", admin.networkId)
    .where("planId", "=", planId)
    .where("archivedAt", "is", null)
    .executeTakeFirst();
  await tx
    .updateTable("plans")
    .set({ archivedAt: sql<string>`clock()` })
    .where("networkId", "=", admin.networkId)
    .where("id", "=", planId)
    .execute();
  await audit(tx, admin, {
    action: "archived",
    recordType: "plan",
    recordId: planId,
    before: { name: plan.name, archived: false },
    after: { archived: true, unsubscribed: Number(ended.numUpdatedRows) },
  });
  notifyOnCommit(tx, admin.networkId, null);
  return await showPlan(tx, admin, planId);
}

/** How many attorneys Subscribe all would enroll, and how many are already in the plan. */
export async function previewEnrollAll(tx: Db, admin: Admin, planId: number) {
  const { rows } = await sql<{ toSubscribe: number; alreadySubscribed: number; known: boolean }>`
    select count(*) filter (where not enrolled) as to_subscribe,
      count(*) filter (where enrolled) as already_subscribed,
      exists (select from plans where network_id = ${admin.networkId} and id = ${planId}) as known
    from (
      select exists (
        select from enrolments e
        where e.network_id = a.network_id and e.plan_id = ${planId} and e.attorney_id = a.id
          and e.archived_at is null
      ) as enrolled
      from attorneys a where a.network_id = ${admin.networkId} and a.left_on is null
    ) as panel`.execute(tx);
  const [counts] = rows;
  if (!counts?.known) throw notFound("subscription");
  return { toSubscribe: counts.toSubscribe, alreadySubscribed: counts.alreadySubscribed };
}

/**
 * A plan's row, locked until the transaction ends, so enrolling and archiving run one after the other.
 * Throws 404.
 */
export async function lockPlan(tx: Db, networkId: number, planId: number) {
  const plan = await tx
    .selectFrom("plans")
    .select(["id", "name", "amountCents", "frequencyInMonths", "archivedAt"])
    .where("networkId", "=", networkId)
    .where("id", "=", planId)
    .forNoKeyUpdate()
    .executeTakeFirst();
  if (!plan) throw notFound("subscription");
  return plan;
}

async function showPlan(tx: Db, admin: Admin, planId: number): Promise<RawJson<Plan>> {
  return await selectJsonOrThrow(tx, planJson, {
    from: sql`plans p where p.network_id = ${admin.networkId} and p.id = ${planId}`,
  });
}
