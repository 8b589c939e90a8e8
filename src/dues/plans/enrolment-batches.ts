import { sql } from "kysely";
import type { Admin } from "#kit/domain/actor.ts";
import { type Cents, dollarsText } from "#kit/domain/money.ts";
import { notFound, Refusal } from "#kit/contract/refusal.ts";
import { audit } from "#kit/db/audit.ts";
import { notifyOnCommit } from "#kit/db/changes.ts";
import type { Db } from "#kit/db/database.ts";
import { networkDay } from "#kit/db/network-day.ts";
import { disableNestedLoops, withoutNestedLoops } from "#kit/db/planner-settings.ts";
import { lockEnrolling } from "#dues/ledger/billing.ts";
import { lockPlan } from "#dues/plans/plans.ts";

/*
 * A batch is the enrolments of one Subscribe all, or of attorneys chosen in the list and enrolled together.
 */

/** The enrolments of a batch. The first and last id are null if there are none. */
export interface Enrolled {
  subscribed: number;
  firstId: number | null;
  lastId: number | null;
}

/** Start a batch. Returns the id for its enrolments. */
export async function openBatch(
  tx: Db,
  admin: Admin,
  planId: number,
  { isOfAll }: { isOfAll: boolean },
): Promise<number> {
  const { id } = await tx
    .insertInto("enrolmentBatches")
    .values({ networkId: admin.networkId, planId, ofAll: isOfAll, createdBy: admin.userId })
    .returning("id")
    .executeTakeFirstOrThrow();
  return id;
}

export async function closeBatch(
  tx: Db,
  admin: Admin,
  id: number,
  { subscribed, firstId, lastId }: Enrolled,
): Promise<void> {
  await tx
    .updateTable("enrolmentBatches")
    .set({ enrolments: subscribed, firstEnrolmentId: firstId, lastEnrolmentId: lastId })
    .where("networkId", "=", admin.networkId)
    .where("id", "=", id)
    .execute();
}

/** When a batch (alias `b`) can no longer be undone. Source: domain rules §10. */
const undoDeadline = sql`(b.created_at + interval '24 hours')`;

/** The same, null if it was undone or it is too late. */
export const undoableUntil = sql`case when b.undone_at is null and b.enrolments > 0
  and ${undoDeadline} > clock() then ${undoDeadline} end`;

interface Batch {
  id: number;
  ofAll: boolean;
  planId: number;
  planName: string;
  firstId: number | null;
  lastId: number | null;
}

/** The batch's name in refusals. */
const thisBatch = ({ ofAll }: Batch) => (ofAll ? "This Subscribe all" : "This batch of enrolments");

/**
 * Count what undoing a batch would do. Throws 404, and 409 if it was undone or is over a day old.
 */
export async function previewUndoEnrollAll(db: Db, admin: Admin, batchId: number) {
  const batch = await findBatch(db, admin, batchId);
  return await withoutNestedLoops(db, (tx) => countUndone(tx, admin, batch));
}

interface UndoCounts {
  enrolments: number;
  debits: number;
  amount: Cents;
  creditReturned: Cents;
  paid: number;
}

async function countUndone(tx: Db, admin: Admin, batch: Batch): Promise<UndoCounts> {
  const { rows } = await sql<UndoCounts>`
    with owed as materialized (
      select d.network_id, d.id, d.balance_cents, d.pending_cents, coalesce((
        select sum(-c.owed_cents) from entries c
        where c.network_id = d.network_id and c.debit_id = d.id and c.credit_id is not null), 0)::bigint as credit_cents
      from debits d where ${isOfBatch(admin, batch)}
    )
    select count(*) filter (where balance_cents + credit_cents > 0) as debits,
      coalesce(sum(balance_cents + credit_cents), 0)::bigint as amount,
      coalesce(sum(credit_cents), 0)::bigint as credit_returned,
      count(*) filter (where ${hasPayment(sql`owed`)}) as paid,
      (select count(*) from enrolments e
        where ${isEnrolmentOfBatch(admin, batch)} and e.archived_at is null) as enrolments
    from owed`.execute(tx);
  return rows[0] as UndoCounts; // an aggregate always has a row
}

/** The note on the entries that reverse its debits and restore credit. */
const noteFor = ({ ofAll }: Batch) =>
  ofAll ? "Subscribe all was undone" : "The batch of enrolments was undone";

/**
 * Undo a batch: end its enrolments, reverse their debits to zero, later billing runs included, and restore
 * credit that paid them. Each step is one SQL statement. Throws 404; 409 if it was undone, is over a day
 * old, or has a payment. Source: domain rules §10.
 */
export async function undoEnrollAll(tx: Db, admin: Admin, batchId: number) {
  await lockEnrolling(tx, admin.networkId);
  const batch = await findBatch(tx, admin, batchId, { locks: true });
  await lockPlan(tx, admin.networkId, batch.planId);
  await disableNestedLoops(tx);
  await lockAppliedCredit(tx, admin, batch);
  await refusePaidDebits(tx, admin, batch);
  await restoreCredit(tx, admin, batch);
  const reversed = await reverseDebits(tx, admin, batch);
  const { numAffectedRows } = await sql`
    update enrolments e set archived_at = clock()
    where ${isEnrolmentOfBatch(admin, batch)} and e.archived_at is null`.execute(tx);
  const ended = Number(numAffectedRows);
  await tx
    .updateTable("enrolmentBatches")
    .set({ undoneAt: sql<string>`clock()`, undoneBy: admin.userId })
    .where("networkId", "=", admin.networkId)
    .where("id", "=", batch.id)
    .execute();
  await audit(tx, admin, {
    action: batch.ofAll ? "undid Subscribe all" : "undid subscribing several",
    recordType: "plan",
    recordId: batch.planId,
    after: { unsubscribed: ended, reversed: dollarsText(reversed), batchId: batch.id },
  });
  notifyOnCommit(tx, admin.networkId, null);
  return { ended, reversed };
}

async function findBatch(tx: Db, admin: Admin, batchId: number, { locks = false } = {}) {
  const { rows } = await sql<Batch & { isUndone: boolean; isLate: boolean; until: string }>`
    select b.id, b.of_all, b.plan_id, p.name as plan_name, b.undone_at is not null as is_undone,
      b.first_enrolment_id as first_id, b.last_enrolment_id as last_id,
      clock() >= ${undoDeadline} as is_late,
      to_char(${undoDeadline} at time zone ${admin.timeZone}, 'MM/DD/YYYY, FMHH12:MI AM') as until
    from enrolment_batches b
    join plans p on p.network_id = b.network_id and p.id = b.plan_id
    where b.network_id = ${admin.networkId} and b.id = ${batchId}
    ${locks ? sql`for update of b` : sql``}`.execute(tx);
  const [batch] = rows;
  if (!batch) throw notFound("Subscribe all");
  if (batch.isUndone) throw new Refusal(409, `${thisBatch(batch)} has already been undone.`);
  if (batch.isLate)
    throw new Refusal(
      409,
      `${thisBatch(batch)} could be undone for 24 hours, until ${batch.until}. End the enrolments on the plan's page instead.`,
    );
  return batch;
}

/** Enrolments (alias `e`) of a batch. It was one transaction, so its id range holds few others. */
const isEnrolmentOfBatch = ({ networkId }: Admin, { id, firstId, lastId }: Batch) => sql`
  e.network_id = ${networkId} and e.id between ${firstId}::bigint and ${lastId}::bigint and e.batch_id = ${id}`;

/** Debits (alias `d`) of a batch's enrolments. */
const isOfBatch = (admin: Admin, batch: Batch) => sql`
  d.network_id = ${admin.networkId} and d.enrolment_id between ${batch.firstId}::bigint and ${batch.lastId}::bigint
  and d.enrolment_id in (select e.id from enrolments e where ${isEnrolmentOfBatch(admin, batch)})`;

/** Whether a debit has a payment that was not reversed, or a pending one. */
const hasPayment = (debit: ReturnType<typeof sql>) => sql`(${debit}.pending_cents > 0 or (
  select sum(l.owed_cents) from entries l
  where l.network_id = ${debit}.network_id and l.debit_id = ${debit}.id
    and l.cause <> 'charge' and l.cause in ('payment', 'reversal')) < 0)`;

/** Credit is always locked before debits. Credit applied in between is restored too. */
async function lockAppliedCredit(tx: Db, admin: Admin, batch: Batch): Promise<void> {
  await sql`
    select c.id from credits c
    where c.network_id = ${admin.networkId} and c.id in (
      select applied.credit_id from debits d
      join entries applied on applied.network_id = d.network_id and applied.debit_id = d.id
        and applied.credit_id is not null
      where ${isOfBatch(admin, batch)})
    order by c.id for no key update`.execute(tx);
}

/**
 * Lock the debits. Throws 409 if any has a payment. A second statement checks them, since the one that waited for
 * the lock does not see entries written in the meantime.
 */
async function refusePaidDebits(tx: Db, admin: Admin, batch: Batch): Promise<void> {
  await sql`
    select count(*) from (
      select d.id from debits d
      where ${isOfBatch(admin, batch)} order by d.id for no key update of d
    ) as locked`.execute(tx);
  const { rows } = await sql<{ debits: number; paid: number }>`
    select count(*) as debits, count(*) filter (where ${hasPayment(sql`d`)}) as paid
    from debits d where ${isOfBatch(admin, batch)}`.execute(tx);
  const { debits = 0, paid = 0 } = rows[0] ?? {};
  if (paid > 0)
    throw new Refusal(
      409,
      `${thisBatch(batch)} cannot be undone: ${paid.toLocaleString("en-US")} of its ${debits.toLocaleString("en-US")} ${debits === 1 ? "debit" : "debits"} ${paid === 1 ? "has" : "have"} a payment, approved or pending. End the enrolments on the plan's page, and adjust debits that are not owed.`,
    );
}

async function restoreCredit(tx: Db, admin: Admin, batch: Batch): Promise<void> {
  await sql`
    insert into entries (network_id, cause, from_account, to_account, amount_cents, day, attorney_id, credit_id, debit_id,
      note, actor_user_id)
    select applied.network_id, 'credit_taken_off', 'credit', 'receivable', sum(-applied.owed_cents),
      ${networkDay(admin.networkId)}, applied.attorney_id, applied.credit_id, applied.debit_id,
      ${noteFor(batch)}, ${admin.userId}
    from debits d
    join entries applied on applied.network_id = d.network_id and applied.debit_id = d.id
      and applied.credit_id is not null
    where ${isOfBatch(admin, batch)}
    group by applied.network_id, applied.attorney_id, applied.credit_id, applied.debit_id
    having sum(applied.owed_cents) < 0
    order by applied.credit_id, applied.debit_id`.execute(tx);
}

/** Reverse the debits against the income they were charged to. Returns the cents that were owed. */
async function reverseDebits(tx: Db, admin: Admin, batch: Batch): Promise<Cents> {
  const { rows } = await sql<{ reversed: Cents }>`
    with reversed as (
      insert into entries (network_id, cause, from_account, to_account, amount_cents, day, attorney_id, debit_id, note,
        actor_user_id)
      select d.network_id, 'adjustment', 'receivable', d.income_account, d.balance_cents,
        ${networkDay(admin.networkId)}, d.attorney_id, d.id, ${noteFor(batch)}, ${admin.userId}
      from debits d where ${isOfBatch(admin, batch)} and d.balance_cents > 0
      order by d.id
      returning amount_cents
    )
    select coalesce(sum(amount_cents), 0)::bigint as reversed from reversed`.execute(tx);
  const [{ reversed } = { reversed: 0 as Cents }] = rows; // an aggregate always has a row
  return reversed;
}
