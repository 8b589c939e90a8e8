import { sql } from "kysely";
import type { Admin } from "#domain/actor.ts";
import type { Db } from "#db/database.ts";
import { debitName, debitNote } from "#db/debit-names.ts";
import { jsonQuery, jsonQueryOrThrow, type RawJson } from "#db/json-query.ts";
import { notFound } from "#contract/refusal.ts";
import { refuseUnknownAttorney } from "#features/attorneys/known-attorney.ts";
import type { CardPaymentsWanted, UnappliedWanted } from "#features/cards/contract.ts";
import { cardJson, namedShares } from "#features/payments/receipts.ts";

/** A card payment (alias `c`) with its payment (`p`) and attorney (`a`), as JSON of the published interface. */
const cardPaymentJson = sql`json_build_object(
  'id', c.payment_id, 'attorneyId', c.attorney_id, 'attorneyName', a.first_name || ' ' || a.last_name,
  'amount', dollars(p.amount_cents), 'state', c.state, 'processor', c.processor,
  'reference', c.reference, 'transactionId', c.transaction_id, 'card', ${cardJson},
  'problem', coalesce(c.problem, c.message), 'createdAt', iso(c.created_at),
  'settledAt', iso(c.settled_at), 'failedAt', iso(c.failed_at), 'nextLookAt', iso(c.next_look_at),
  'heldAt', iso(c.held_at),
  'refund', (
    select json_build_object('state', r.state, 'reason', r.reason, 'problem', r.problem,
      'createdAt', iso(r.created_at))
    from card_refunds r where r.network_id = c.network_id and r.payment_id = c.payment_id
    order by r.id desc limit 1),
  'shares', (
    select coalesce(json_agg(json_build_object('debitId', d.id, 'name', ${debitName}, 'note', ${debitNote},
      'dueDate', d.due_on, 'amount', dollars(s.amount_cents)) order by s.id), '[]')
    from ${namedShares}
    where s.network_id = c.network_id and s.payment_id = c.payment_id))`;

const lastRefundState = sql`(
  select r.state from card_refunds r where r.network_id = c.network_id and r.payment_id = c.payment_id
  order by r.id desc limit 1)`;

/**
 * Whether the last attempt to give a captured payment (alias `c`) back failed. Those with a failed one are found
 * first: payments are many, failed refunds few.
 */
export const isRefundFailed = (networkId: number) => sql`(c.state = 'captured' and c.payment_id in (
  select r.payment_id from card_refunds r where r.network_id = ${networkId} and r.state = 'failed')
  and ${lastRefundState} = 'failed')`;

/** Whether something is owed still that a card payment (alias `c`) was to pay. */
export const isStillOwed = sql`exists (
  select from payment_allocations s
  join debits d on d.network_id = s.network_id and d.id = s.debit_id
  where s.network_id = c.network_id and s.payment_id = c.payment_id and d.balance_cents > 0)`;

const lastRefundBy = sql`(
  select case when r.requested_by is null then 'processor' else 'administrator' end
  from card_refunds r where r.network_id = c.network_id and r.payment_id = c.payment_id
  order by r.id desc limit 1)`;

const cardPayments = sql`card_payments c
  join payments p on p.network_id = c.network_id and p.id = c.payment_id
  join attorneys a on a.network_id = c.network_id and a.id = c.attorney_id`;

/** Card payments of the network, newest first. Throws 404 for an unknown attorney. */
export async function listCards(
  tx: Db,
  admin: Admin,
  wanted: CardPaymentsWanted,
): Promise<RawJson> {
  if (wanted.attorney_id) await refuseUnknownAttorney(tx, admin, wanted.attorney_id);
  const which = sql`c.network_id = ${admin.networkId}
    ${wanted.state === undefined ? sql`` : sql`and c.state = ${wanted.state}`}
    ${wanted.attorney_id === undefined ? sql`` : sql`and c.attorney_id = ${wanted.attorney_id}`}
    ${wanted.refund === undefined ? sql`` : refundIs(admin, wanted)}
    ${wanted.refund_by === undefined ? sql`` : sql`and ${lastRefundBy} = ${wanted.refund_by}`}
    ${wanted.held === undefined ? sql`` : sql`and (c.held_at is not null) = ${wanted.held === "true"}`}
    ${wanted.owed === undefined ? sql`` : sql`and ${isStillOwed}`}`;
  return await jsonQueryOrThrow(
    tx,
    sql`select json_build_object(
      'items', (select coalesce(json_agg(body order by payment_id desc), '[]') from (
        select c.payment_id, ${cardPaymentJson} as body from ${cardPayments} where ${which}
        order by c.payment_id desc
        limit ${wanted.per_page} offset ${(wanted.page - 1) * wanted.per_page}) as listed),
      'total', (select count(*) from card_payments c where ${which}),
      'page', ${wanted.page}::integer, 'perPage', ${wanted.per_page}::integer)::text as body`,
  );
}

const refundIs = ({ networkId }: Admin, { state, refund }: CardPaymentsWanted) =>
  state === "captured" && refund === "failed"
    ? sql`and ${isRefundFailed(networkId)}`
    : sql`and ${lastRefundState} = ${refund}`;

/** One card payment. Throws 404. */
export async function showCard(tx: Db, admin: Admin, paymentId: number): Promise<RawJson> {
  const found = await jsonQuery(
    tx,
    sql`select ${cardPaymentJson}::text as body from ${cardPayments}
      where c.network_id = ${admin.networkId} and c.payment_id = ${paymentId}`,
  );
  if (!found) throw notFound("card payment");
  return found;
}

/** An unapplied charge (alias `u`) with its attorney (`a`), as JSON of the published interface. */
const unappliedJson = sql`json_build_object(
  'id', u.id, 'attorneyId', u.attorney_id, 'attorneyName', a.first_name || ' ' || a.last_name,
  'amount', dollars(u.amount_cents), 'charged', dollars(u.charged_cents), 'processor', u.processor,
  'transactionId', u.transaction_id, 'paymentId', u.payment_id, 'createdAt', iso(u.created_at),
  'resolvedAt', iso(u.resolved_at))`;

const unappliedPayments = sql`unapplied_payments u
  join attorneys a on a.network_id = u.network_id and a.id = u.attorney_id`;

/** Charges for which nothing was owed, open and resolved, newest first. */
export async function listUnappliedCharges(
  tx: Db,
  admin: Admin,
  wanted: UnappliedWanted,
): Promise<RawJson> {
  const which = sql`u.network_id = ${admin.networkId}
    ${wanted.resolved === undefined ? sql`` : sql`and (u.resolved_at is not null) = ${wanted.resolved === "true"}`}`;
  return await jsonQueryOrThrow(
    tx,
    sql`select json_build_object(
      'items', (select coalesce(json_agg(body order by id desc), '[]') from (
        select u.id, ${unappliedJson} as body from ${unappliedPayments}
        where ${which} order by u.id desc
        limit ${wanted.per_page} offset ${(wanted.page - 1) * wanted.per_page}) as listed),
      'total', (select count(*) from unapplied_payments u where ${which}),
      'page', ${wanted.page}::integer, 'perPage', ${wanted.per_page}::integer)::text as body`,
  );
}

/** One of them. Throws 404. */
export async function showUnapplied(tx: Db, admin: Admin, id: number): Promise<RawJson> {
  const found = await jsonQuery(
    tx,
    sql`select ${unappliedJson}::text as body from ${unappliedPayments}
      where u.network_id = ${admin.networkId} and u.id = ${id}`,
  );
  if (!found) throw notFound("unapplied payment");
  return found;
}
