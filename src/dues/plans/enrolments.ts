import { sql } from "kysely";
import { firstBilledPeriod, type EnrolmentSchedule } from "#kit/domain/billing-schedule.ts";
import { isAfter, type PlainDate, plainDate } from "#kit/domain/calendar.ts";
import { type Cents, cents, dollarsText, zero } from "#kit/domain/money.ts";
import type { Actor, Admin } from "#kit/domain/actor.ts";
import { audit } from "#kit/db/audit.ts";
import { notifyOnCommit } from "#kit/db/changes.ts";
import type { Db } from "#kit/db/database.ts";
import { type RawJson, selectJsonOrThrow } from "#kit/db/json-query.ts";
import { listJson, tableJson } from "#kit/db/shape-json.ts";
import { invalid, notFound, Refusal } from "#kit/contract/refusal.ts";
import {
  analyzeAfterBulkInsert,
  analyzeReferred,
  disableNestedLoops,
} from "#kit/db/planner-settings.ts";
import { chosenAttorneyIds } from "#panel/chosen-attorneys.ts";
import { refuseUnknownAttorney } from "#panel/known-attorney.ts";
import {
  applyCreditToNewDebits,
  hasCreditToApply,
  type NewDebits,
} from "#dues/ledger/automatic-credit.ts";
import { createDueDebits, lockBilling } from "#dues/ledger/billing.ts";
import { moveBilledThroughBack } from "#dues/ledger/billing-progress.ts";
import {
  type ChosenEnrolments,
  Instance,
  type NewEnrolment,
  type NewEnrolments,
} from "#dues/plans/contract.ts";
import { closeBatch, type Enrolled, openBatch } from "#dues/plans/enrolment-batches.ts";
import { lockPlan } from "#dues/plans/plans.ts";

/** The next due date of an enrolment (alias `e`) of a plan (`p`); null if it has ended. */
export const nextBillingDate = sql`case when e.archived_at is null then greatest(e.enrolled_on,
    period_date(e.start_date, p.frequency_in_months, greatest(e.first_period, coalesce((
      select max(d.period) + 1 from debits d
      where d.network_id = e.network_id and d.enrolment_id = e.id), 0)))) end`;

/** An enrolment (alias `e`) with its plan (`p`), as JSON of the published interface. */
export const instanceJson = tableJson(Instance, "enrolments as e", {
  lrsSubscriptionId: sql`e.plan_id`,
  name: sql`p.name`,
  description: sql`p.description`,
  paymentSchedule: sql`payment_schedule(p.amount_cents, p.frequency_in_months)`,
  amount: sql`p.amount_cents`,
  nextBillingDate,
  archived: sql`e.archived_at is not null`,
});

/**
 * Enroll one attorney in a plan, which may be repeated. With `bill_immediately`, the debit for the period
 * that contains today is created in the same transaction. Throws 404 for an unknown attorney or plan, 409
 * for an archived plan or an attorney who has left the panel. Source: domain rules §3.
 */
export async function enrollAttorney(
  tx: Db,
  admin: Admin,
  wanted: NewEnrolment,
  today: PlainDate,
): Promise<RawJson<Instance>> {
  refuseBillingAhead(wanted, today);
  await refuseUnknownAttorney(tx, admin, wanted.attorney_id);
  await lockBilling(tx, admin.networkId);
  try {
    await refuseDeparted(tx, admin, wanted.attorney_id);
  } catch (departed) {
    await lockPlan(tx, admin.networkId, wanted.lrs_subscription_id); // an unknown plan (404) comes first
    throw departed;
  }
  const plan = await lockActivePlan(tx, admin, wanted.lrs_subscription_id);
  const terms = termsOf(wanted, plan.frequencyInMonths, today);
  const { id } = await tx
    .insertInto("enrolments")
    .values({ networkId: admin.networkId, attorneyId: wanted.attorney_id, ...terms })
    .returning("id")
    .executeTakeFirstOrThrow();
  const billed = terms.billsImmediately
    ? await createDueDebits(tx, {
        networkId: admin.networkId,
        asOf: today,
        enrolmentId: id,
        createdBy: admin.userId,
      })
    : null;
  await moveBilledThroughBack(tx, admin.networkId, {
    ...terms,
    everyMonths: plan.frequencyInMonths,
  });
  await audit(tx, admin, {
    action: "enrolled",
    recordType: "enrolment",
    recordId: id,
    after: {
      attorneyId: wanted.attorney_id,
      plan: plan.name,
      ...terms,
      ...creditForAudit(billed?.fromCreditCents),
    },
  });
  notifyOnCommit(tx, admin.networkId, wanted.attorney_id);
  return await showEnrolment(tx, admin, id);
}

/** Call under the billing lock: departures and enrolments wait for each other there. */
async function refuseDeparted(tx: Db, admin: Admin, attorneyId: number): Promise<void> {
  const departed = await tx
    .selectFrom("attorneys")
    .select(sql<string>`first_name || ' ' || last_name`.as("name"))
    .where("networkId", "=", admin.networkId)
    .where("id", "=", attorneyId)
    .where("leftOn", "is not", null)
    .executeTakeFirst();
  if (departed)
    throw new Refusal(409, `${departed.name} has left the panel and cannot be subscribed.`);
}

/** Enroll every attorney on the panel, also those on vacation or suspended. Throws as `enrollMany`. */
export async function enrollAll(tx: Db, admin: Admin, wanted: NewEnrolments, today: PlainDate) {
  return await enrollMany(tx, admin, { ...wanted, attorneyIds: null }, today);
}

/**
 * Enroll attorneys chosen in the list, except those who have left the panel since. Throws as `enrollMany`, and 404
 * or 422 as `chosenAttorneyIds`.
 */
export async function enrollChosen(
  tx: Db,
  admin: Admin,
  { attorney_ids, filters, ...wanted }: ChosenEnrolments,
  today: PlainDate,
) {
  const attorneyIds = await chosenAttorneyIds(tx, admin, { attorney_ids, filters }, today);
  return await enrollMany(tx, admin, { ...wanted, attorneyIds }, today);
}

/** How many of the chosen attorneys would be enrolled, and the total billed today. Throws as `enrollChosen`. */
export async function previewEnrollChosen(
  tx: Db,
  admin: Admin,
  { attorney_ids, filters, ...wanted }: ChosenEnrolments,
  today: PlainDate,
) {
  refuseBillingAhead(wanted, today);
  const planId = wanted.lrs_subscription_id;
  const ids = await chosenAttorneyIds(tx, admin, { attorney_ids, filters }, today);
  const { rows } = await sql<{ toSubscribe: number; left: number; amountCents: Cents }>`
    select count(*) filter (where a.left_on is null and not ${isInPlan(planId)}) as to_subscribe,
      count(*) filter (where a.left_on is not null) as left, (
        select amount_cents from plans
        where network_id = ${admin.networkId} and id = ${planId} and archived_at is null) as amount_cents
    from attorneys a
    where a.network_id = ${admin.networkId} and a.id = any(${ids}::bigint[])`.execute(tx);
  const [counts] = rows;
  if (!counts?.amountCents) throw await whyNobodyIsAdded(tx, admin, planId);
  const { toSubscribe, left, amountCents } = counts;
  return {
    toSubscribe,
    alreadySubscribed: ids.length - toSubscribe - left,
    left,
    billedToday: wanted.bill_immediately ? cents(toSubscribe * amountCents) : zero,
  };
}

/** Whether an attorney (alias `a`) has an active enrolment in a plan. */
const isInPlan = (planId: number) => sql`exists (
  select from enrolments e
  where e.network_id = a.network_id and e.plan_id = ${planId} and e.attorney_id = a.id
    and e.archived_at is null)`;

interface EnrolledMany extends Enrolled {
  chosen: number;
  left: number;
}

/** `attorneyIds`: null for all on the panel. */
interface ManyEnrolments extends NewEnrolments {
  attorneyIds: number[] | null;
}

/**
 * Enroll attorneys with no active enrolment in the plan, in one SQL statement and one batch to undo.
 * Throws 404 or 409 as for one attorney. Source: domain rules §3.
 */
async function enrollMany(tx: Db, admin: Admin, wanted: ManyEnrolments, today: PlainDate) {
  const { attorneyIds } = wanted;
  const isOfAll = attorneyIds === null;
  const chosen = sql`a.network_id = ${admin.networkId} and ${
    isOfAll ? sql`a.left_on is null` : sql`a.id = any(${attorneyIds}::bigint[])`
  }`;
  refuseBillingAhead(wanted, today);
  await lockBilling(tx, admin.networkId);
  const plan = await lockActivePlan(tx, admin, wanted.lrs_subscription_id);
  const terms = termsOf(wanted, plan.frequencyInMonths, today);
  const batchId = await openBatch(tx, admin, plan.id, { isOfAll });
  await disableNestedLoops(tx);
  const { rows } = await sql<EnrolledMany>`
    with enrolled as (
      insert into enrolments
        (network_id, attorney_id, plan_id, start_date, enrolled_on, bills_immediately, first_period, note, batch_id)
      select a.network_id, a.id, ${plan.id}, ${terms.startDate}::date, ${terms.enrolledOn}::date,
        ${terms.billsImmediately}, ${terms.firstPeriod}, ${terms.note}, ${batchId}
      from attorneys a where ${chosen} and a.left_on is null and not ${isInPlan(plan.id)}
      returning id
    )
    select count(*) as subscribed, min(id) as first_id, max(id) as last_id,
      (select count(*) from attorneys a where ${chosen}) as chosen,
      ${isOfAll ? sql`0::bigint` : sql`(select count(*) from attorneys a where ${chosen} and a.left_on is not null)`} as left
    from enrolled`.execute(tx);
  const made = rows[0] as EnrolledMany; // an aggregate always has a row
  const { subscribed, left } = made;
  await closeBatch(tx, admin, batchId, made);
  const { debits: debitsCreated, fromCredit } = terms.billsImmediately
    ? await billEnrolled(tx, admin, { ...made, batchId, amountCents: plan.amountCents })
    : { debits: 0, fromCredit: zero };
  await analyzeAfterBulkInsert(tx, subscribed, ["enrolments"]);
  await analyzeAfterBulkInsert(tx, debitsCreated, ["debits", "entries"]);
  await moveBilledThroughBack(tx, admin.networkId, {
    ...terms,
    everyMonths: plan.frequencyInMonths,
  });
  const alreadySubscribed = made.chosen - left - subscribed;
  const counts = { subscribed, alreadySubscribed, left, debitsCreated };
  await audit(tx, admin, {
    action: isOfAll ? "subscribed all" : "subscribed several",
    recordType: "plan",
    recordId: plan.id,
    after: {
      ...terms,
      subscribed,
      alreadySubscribed,
      debitsCreated,
      batchId,
      ...creditForAudit(fromCredit),
    },
  });
  notifyOnCommit(tx, admin.networkId, null);
  return { ...counts, batchId };
}

/** Create the first debits of a batch, and pay them from credit. */
async function billEnrolled(
  tx: Db,
  { networkId, userId }: Admin,
  batch: Enrolled & { batchId: number; amountCents: Cents },
) {
  await analyzeReferred(tx, batch.subscribed, "enrolments");
  const { rows } = await sql<NewDebits>`
    with billed as (
      insert into debits
        (network_id, attorney_id, enrolment_id, period, due_on, amount_cents, balance_cents, income_account, created_by)
      select network_id, attorney_id, id, first_period, enrolled_on,
        ${batch.amountCents}, ${batch.amountCents}, 'dues_income:' || (
          select name from plans p where p.network_id = ${networkId} and p.id = plan_id), ${userId}
      from enrolments
      where network_id = ${networkId} and batch_id = ${batch.batchId}
        and id between ${batch.firstId}::bigint and ${batch.lastId}::bigint
      returning id
    )
    select count(*) as debits, min(id) as first_debit_id, max(id) as last_debit_id,
      ${hasCreditToApply(networkId)} as has_credit_to_apply
    from billed`.execute(tx);
  const made = { ...(rows[0] as NewDebits), networkId, createdBy: userId }; // an aggregate always has a row
  return { debits: made.debits, fromCredit: await applyCreditToNewDebits(tx, made) };
}

/**
 * End an enrolment for good. Periods due by today are billed first, as a run would do, so the time of day
 * does not matter. Throws 404, or 409 if it has already ended.
 */
export async function endEnrolment(
  tx: Db,
  admin: Admin,
  enrolmentId: number,
  today: PlainDate,
): Promise<RawJson<Instance>> {
  const enrolment = await tx
    .selectFrom("enrolments")
    .select(["id", "attorneyId", "planId", "archivedAt"])
    .where("networkId", "=", admin.networkId)
    .where("id", "=", enrolmentId)
    .executeTakeFirst();
  if (!enrolment) throw notFound("enrolment");
  await lockPlan(tx, admin.networkId, enrolment.planId);
  await createDueDebits(tx, { networkId: admin.networkId, asOf: today, enrolmentId });
  const ended = await tx
    .updateTable("enrolments")
    .set({ archivedAt: sql<string>`clock()` })
    .where("networkId", "=", admin.networkId)
    .where("id", "=", enrolmentId)
    .where("archivedAt", "is", null)
    .executeTakeFirst();
  if (ended.numUpdatedRows === 0n)
    throw new Refusal(409, "This attorney has already been unsubscribed.");
  await audit(tx, admin, {
    action: "unsubscribed",
    recordType: "enrolment",
    recordId: enrolmentId,
    before: { archived: false },
    after: { archived: true },
  });
  notifyOnCommit(tx, admin.networkId, enrolment.attorneyId);
  return await showEnrolment(tx, admin, enrolmentId);
}

/**
 * End several enrolments, all or none, as `endEnrolment` does. Throws 404 if one is unknown, 409 if one has
 * already ended.
 */
export async function endEnrolments(tx: Db, admin: Admin, ids: number[], today: PlainDate) {
  const enrolmentIds = [...new Set(ids)];
  const found = await tx
    .selectFrom("enrolments")
    .select(["id", "planId"])
    .where("networkId", "=", admin.networkId)
    .where("id", "in", enrolmentIds)
    .execute();
  if (found.length < enrolmentIds.length) throw notFound("enrolment");
  for (const planId of [...new Set(found.map((enrolment) => enrolment.planId))].toSorted(byNumber))
    await lockPlan(tx, admin.networkId, planId);
  const { networkId } = admin;
  const billed = await createDueDebits(tx, { networkId, asOf: today, enrolmentIds });
  const { rows } = await sql<{ ended: number }>`
    with ended as (
      update enrolments set archived_at = clock()
      where network_id = ${networkId} and id = any(${enrolmentIds}::bigint[]) and archived_at is null
      returning id
    ), audited as (
      insert into audit_entries
        (network_id, actor_user_id, actor_name, action, record_type, record_id, before, after)
      select ${networkId}, ${admin.userId}, ${admin.name}, 'unsubscribed', 'enrolment', id,
        '{"archived": false}', '{"archived": true}'
      from ended order by id
    )
    select count(*) as ended from ended`.execute(tx);
  const late = enrolmentIds.length - (rows[0]?.ended ?? 0);
  if (late > 0)
    throw new Refusal(
      409,
      `No subscription was ended: ${late} of these ${enrolmentIds.length} ${late === 1 ? "has" : "have"} already ended. Reload the list.`,
    );
  notifyOnCommit(tx, networkId, null);
  return { ended: enrolmentIds.length, debitsCreated: billed.debits, billed: billed.amountCents };
}

const byNumber = (a: number, b: number) => a - b;

/** An attorney's active enrolments, newest first. Throws 404 if the actor may not see the attorney. */
export async function listActiveEnrolments(
  tx: Db,
  actor: Actor,
  attorneyId: number,
): Promise<RawJson<Instance[]>> {
  await refuseUnknownAttorney(tx, actor, attorneyId);
  return await selectJsonOrThrow(
    tx,
    listJson(instanceJson, {
      from: sql`enrolments e join plans p on p.network_id = e.network_id and p.id = e.plan_id
        where e.network_id = ${actor.networkId} and e.attorney_id = ${attorneyId} and e.archived_at is null`,
      order: sql`e.id desc`,
    }),
  );
}

/** For the audit trail: the part of the new debits paid from credit, if any. */
const creditForAudit = (fromCredit: Cents = zero) =>
  fromCredit > 0 ? { paidFromCredit: dollarsText(fromCredit) } : {};

function refuseBillingAhead(wanted: NewEnrolments, today: PlainDate): void {
  if (wanted.bill_immediately && isAfter(plainDate(wanted.start_date), today))
    throw invalid(
      "bill_immediately",
      "Bill immediately is possible only if the start date is today or earlier.",
    );
}

async function lockActivePlan(tx: Db, admin: Admin, planId: number) {
  const plan = await lockPlan(tx, admin.networkId, planId);
  if (plan.archivedAt) throw planIsArchived();
  return plan;
}

const planIsArchived = () =>
  new Refusal(409, "This subscription is archived. No one can be added to it.");

async function whyNobodyIsAdded(tx: Db, { networkId }: Admin, planId: number): Promise<Refusal> {
  const plan = await tx
    .selectFrom("plans")
    .select("id")
    .where("networkId", "=", networkId)
    .where("id", "=", planId)
    .executeTakeFirst();
  return plan ? planIsArchived() : notFound("subscription");
}

function termsOf(wanted: NewEnrolments, everyMonths: number, today: PlainDate) {
  const enrolling: EnrolmentSchedule = {
    startDate: plainDate(wanted.start_date),
    everyMonths,
    enrolledOn: today,
    billImmediately: wanted.bill_immediately,
  };
  return {
    planId: wanted.lrs_subscription_id,
    startDate: wanted.start_date,
    enrolledOn: today.toString(),
    billsImmediately: wanted.bill_immediately,
    firstPeriod: firstBilledPeriod(enrolling),
    note: wanted.note,
  };
}

async function showEnrolment(tx: Db, admin: Admin, id: number): Promise<RawJson<Instance>> {
  return await selectJsonOrThrow(tx, instanceJson, {
    from: sql`enrolments e join plans p on p.network_id = e.network_id and p.id = e.plan_id
        where e.network_id = ${admin.networkId} and e.id = ${id}`,
  });
}
