import { type RawBuilder, sql } from "kysely";
import type { PlainDate } from "#domain/calendar.ts";
import type { Day } from "#domain/day.ts";
import { dollarsText } from "#domain/money.ts";
import type { Actor, Admin } from "#domain/actor.ts";
import { notifyOnCommit, notifyNow } from "#db/changes.ts";
import type { Db } from "#db/database.ts";
import { RawJson } from "#db/json-query.ts";
import { piecesOf } from "#http/text-in-pieces.ts";
import { pipeline } from "#db/pipeline.ts";
import { prepared } from "#db/prepared-statements.ts";
import { notFound, Refusal, refuseViolations } from "#contract/refusal.ts";
import { retryingDeadlocks } from "#db/transaction.ts";
import { showDebits } from "#features/ledger/debits.ts";
import { queueCreditReceipts, queueReceipts, receiptsOf } from "#features/mail/receipts.ts";
import type { CheckPaid, Decisions } from "#features/payments/contract.ts";
import { recordedForFirm } from "#features/payments/told-twice.ts";
import {
  type DebitToPay,
  payingAttorneyOf,
  type PaymentShare,
  sharesOf,
  titleOfDebit,
  totalOf,
} from "#features/payments/payments.ts";

/**
 * Record a check as pending: its amounts are reserved, balances do not move until an administrator
 * decides. Refused as a whole: 404, 422 and 409 as `payingAttorneyOf` says, and 409 when the same check
 * number is already recorded on one of the debits and not denied, or for the attorney's firm or a colleague and it
 * is not said to be another. Answers the attorney's record, which `recordOf` is the query of. Source: domain rules §4;
 * the book, rule 17.
 */
export async function recordCheck(
  db: Db,
  actor: Actor,
  { wanted, today }: { wanted: CheckPaid; today: PlainDate },
  recordOf: (attorneyId: number | RawBuilder<unknown>) => RawBuilder<{ body: string }>,
): Promise<RawJson> {
  const check = {
    checkNumber: wanted.check_number,
    isAnother: wanted.another_check,
    receivedOn: today.toString(),
    shares: sharesOf(wanted.payment_hash),
  };
  const insert = () =>
    pipeline(db, insertCheckQuery(actor, check), recordOf(payerQuery(actor, check)));
  const [[posted], [record]] = await refuseViolations(
    {
      payment_allocations_check_once: () =>
        alreadyRecorded(check.checkNumber, " on one of these debits"),
      received_checks_once: () => alreadyRecorded(check.checkNumber),
      received_checks_told_twice: (violation) =>
        recordedForFirm(check.checkNumber, violation, actor.role),
    },
    db.isTransaction ? insert() : retryingDeadlocks(insert), // a transaction is retried as a whole
  );
  const attorneyId = payingAttorneyOf(actor, check.shares, posted?.debits ?? []);
  if (!posted?.paymentId || !record) throw new Error("A check that may be recorded has not been.");
  if (db.isTransaction) notifyOnCommit(db, actor.networkId, attorneyId);
  else notifyNow(db, { networkId: actor.networkId, attorneyId, topic: "subscriptions" });
  return new RawJson(piecesOf(record.body));
}

/** The attorney whose record is the answer: the signed-in one, else the one who owes the first debit. */
function payerQuery(actor: Actor, { shares }: NewCheck): number | RawBuilder<unknown> {
  if (actor.role === "attorney") return actor.attorneyId;
  return sql`(select attorney_id from debits
    where network_id = ${actor.networkId} and id = ${shares[0]?.debitId})`;
}

interface NewCheck {
  checkNumber: string;
  isAnother: boolean;
  receivedOn: Day;
  shares: PaymentShare[];
}

/**
 * The statement that locks the debits in id order and, if the check may be recorded, inserts it, its
 * shares, its audit entry and its receipt: a transaction of five statements was twice as slow.
 * Answers the debits as they are while locked, and no payment when `payingAttorneyOf` would refuse it.
 */
function insertCheckQuery(
  actor: Actor,
  { checkNumber, isAnother, receivedOn, shares }: NewCheck,
): RawBuilder<{ paymentId: number | null; debits: DebitToPay[] }> {
  const noted = {
    checkNumber,
    amount: dollarsText(totalOf(shares)),
    debits: shares.map((share) => [share.debitId, dollarsText(share.amountCents)]),
  };
  const isPrepared = shares.length <= maxPreparedShares;
  return sql`${isPrepared ? prepared : sql``}
    with wanted (debit_id, amount_cents) as (${isPrepared ? listedRows(shares) : arrayRows(shares)}), locked as (
      select id, attorney_id, balance_cents, pending_cents, network_id, enrolment_id, charge_id, due_on from debits
      where network_id = ${actor.networkId} and id in (select debit_id from wanted)
      order by id for update
    ), payer as (
      select min(attorney_id) as attorney_id
      from locked join wanted on wanted.debit_id = locked.id
      having count(*) = ${shares.length}::integer and min(attorney_id) = max(attorney_id)
        and min(attorney_id) = coalesce(${actor.attorneyId}::bigint, min(attorney_id))
        and bool_and(wanted.amount_cents <= balance_cents - pending_cents)
    ), received as (
      insert into received_checks (network_id, attorney_id, check_number, amount_cents, received_on, is_whole,
        is_another_check, created_by)
      select ${actor.networkId}::bigint, attorney_id, ${checkNumber}::text, ${totalOf(shares)}::bigint,
        ${receivedOn}::date, false, ${isAnother}::boolean, ${actor.userId}::bigint
      from payer
      returning network_id, id, attorney_id, check_number, amount_cents, created_by
    ), paid as (
      insert into payments (network_id, attorney_id, method, amount_cents, check_number, received_check_id, created_by)
      select network_id, attorney_id, 'check', amount_cents, check_number, id, created_by from received
      returning network_id, id, attorney_id, check_number
    ), shared as (
      insert into payment_allocations
        (network_id, attorney_id, payment_id, debit_id, amount_cents, check_number)
      select paid.network_id, paid.attorney_id, paid.id, wanted.debit_id, wanted.amount_cents, paid.check_number
      from paid cross join wanted
      returning *
    ), audited as (
      insert into audit_entries
        (network_id, actor_user_id, actor_name, action, record_type, record_id, after)
      select network_id, ${actor.userId}::bigint, ${actor.name}::text, 'recorded check', 'payment', id,
        jsonb_build_object('attorneyId', attorney_id) || ${JSON.stringify(noted)}::jsonb
      from paid
    ), receipts as (${receiptsOf(sql`shared`, "recorded")})
    select (select id from paid) as payment_id, (
      select coalesce(json_agg(json_build_object('id', id, 'attorneyId', attorney_id,
        'balanceCents', balance_cents, 'pendingCents', pending_cents,
        'title', case when not exists (select from paid) then ${titleOfDebit} end) order by id), '[]')
      from locked as d) as debits`;
}

/** A statement that is prepared has one text for each number of shares. */
const maxPreparedShares = 5;

/**
 * Rows that the planner can count before it knows the values: of an array it supposes ten, takes the plan that is kept
 * for worse than one made anew, and plans at each call, which takes longer than the statement itself.
 */
const listedRows = (shares: PaymentShare[]) =>
  sql`values ${sql.join(shares.map((share) => sql`(${share.debitId}::bigint, ${share.amountCents}::bigint)`))}`;

const arrayRows = (shares: PaymentShare[]) => sql`select * from unnest(
  ${shares.map((share) => share.debitId)}::bigint[], ${shares.map((share) => share.amountCents)}::bigint[])`;

const alreadyRecorded = (checkNumber: string, where = "") =>
  new Refusal(409, `Check ${checkNumber} has already been recorded${where}.`);

/**
 * Approve or deny shares of checks, all or none. Approving lowers the balance by a ledger entry,
 * denying releases the reserved amount. Throws 404 for an unknown share, 409 for a decided one.
 * Answers the debits touched. Source: domain rules §4.
 */
export async function decideChecks(tx: Db, admin: Admin, wanted: Decisions): Promise<RawJson> {
  const ids = Object.keys(wanted.statuses).map(Number);
  const checkIds = await lockChecksOfShares(tx, admin, ids);
  const shares = await lockShares(tx, admin, ids);
  if (shares.length < ids.length) throw notFound("pending payment");
  const decided = shares.find((share) => share.status !== "pending");
  if (decided)
    throw new Refusal(
      409,
      `Check ${decided.checkNumber} has already been ${decided.status}. Reload to see it.`,
    );
  await sql`
    update payment_allocations as s
    set status = decision.status, decided_at = now(), decided_by = ${admin.userId}
    from unnest(${ids}::bigint[], ${Object.values(wanted.statuses)}::text[]) as decision (id, status)
    where s.network_id = ${admin.networkId} and s.id = decision.id`.execute(tx);
  for (const status of ["approved", "denied"] as const) {
    const shareIds = ids.filter((id) => wanted.statuses[id] === status);
    await auditDecisions(tx, admin, status, shareIds);
    await queueReceipts(tx, admin.networkId, status, { shareIds });
  }
  await queueCreditReceipts(tx, admin.networkId, checkIds);
  for (const { attorneyId } of shares) notifyOnCommit(tx, admin.networkId, attorneyId);
  return await showDebits(
    tx,
    admin.networkId,
    shares.map((share) => share.debitId),
  );
}

/** Write an audit entry for each share decided, on its payment. */
async function auditDecisions(
  tx: Db,
  admin: Admin,
  status: "approved" | "denied",
  shareIds: number[],
): Promise<void> {
  await sql`
    insert into audit_entries
      (network_id, actor_user_id, actor_name, action, record_type, record_id, before, after)
    select s.network_id, ${admin.userId}, ${admin.name}, ${`${status} check`}, 'payment', s.payment_id,
      '{"status": "pending"}', jsonb_build_object('status', s.status, 'checkNumber', s.check_number,
        'amount', dollars(s.amount_cents), 'debitId', s.debit_id, 'attorneyId', s.attorney_id)
    from payment_allocations s
    where s.network_id = ${admin.networkId} and s.id = any(${shareIds}::bigint[])
    order by s.id`.execute(tx);
}

/** Lock the received checks of shares in id order, before anything else: so does deciding checks whole. */
async function lockChecksOfShares(tx: Db, admin: Admin, ids: number[]): Promise<number[]> {
  const { rows } = await sql<{ id: number }>`
    select c.id from received_checks c
    where c.network_id = ${admin.networkId} and c.id in (
      select y.received_check_id from payment_allocations s
      join payments y on y.network_id = s.network_id and y.id = s.payment_id
      where s.network_id = ${admin.networkId} and s.id = any(${ids}::bigint[]))
    order by c.id for update`.execute(tx);
  return rows.map(({ id }) => id);
}

/** Lock debits, then shares, each in id order: the order in which paying locks them too. */
async function lockShares(tx: Db, admin: Admin, ids: number[]) {
  await sql`
    select d.id from debits d
    where d.network_id = ${admin.networkId} and d.id in (
      select s.debit_id from payment_allocations s
      where s.network_id = ${admin.networkId} and s.id = any(${ids}::bigint[]))
    order by d.id for update`.execute(tx);
  return await tx
    .selectFrom("paymentAllocations")
    .select(["id", "paymentId", "debitId", "attorneyId", "checkNumber", "status"])
    .where("networkId", "=", admin.networkId)
    .where("id", "in", ids)
    .where("checkNumber", "is not", null)
    .orderBy("id")
    .forUpdate()
    .execute();
}
