import { sql } from "kysely";
import type { PageQuery } from "#contract/page.ts";
import type { Actor, Admin } from "#domain/actor.ts";
import type { Db } from "#db/database.ts";
import type { WireJson } from "#http/envelope.ts";
import { kept } from "#db/prepared-statements.ts";
import { notFound } from "#contract/refusal.ts";
import { wireQuery, wireQueryOrThrow } from "#db/json-query.ts";
import { refuseUnknownAttorney } from "#features/attorneys/known-attorney.ts";
import type { CardPaymentsWanted } from "#features/payments/contract.ts";

/** What a share paid (alias `s`) as people know it: the plan's name and the enrolment's note. */
const shareWithPlan = sql`payment_allocations s
  join debits d on d.network_id = s.network_id and d.id = s.debit_id
  join enrolments e on e.network_id = d.network_id and e.id = d.enrolment_id
  join plans pl on pl.network_id = e.network_id and pl.id = e.plan_id`;

const cardJson = sql`case when coalesce(c.card_brand || c.card_last_four, '') = '' then null
  else json_build_object('brand', c.card_brand, 'lastFour', c.card_last_four) end`;

/** A card payment (alias `c`) with its payment (`p`) and attorney (`a`) in its wire form. */
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
    select coalesce(json_agg(json_build_object('debitId', d.id, 'name', pl.name, 'note', e.note,
      'dueDate', d.due_on, 'amount', dollars(s.amount_cents)) order by s.id), '[]')
    from ${shareWithPlan}
    where s.network_id = c.network_id and s.payment_id = c.payment_id))`;

const lastRefundState = sql`(
  select r.state from card_refunds r where r.network_id = c.network_id and r.payment_id = c.payment_id
  order by r.id desc limit 1)`;

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
): Promise<WireJson> {
  if (wanted.attorney_id) await refuseUnknownAttorney(tx, admin, wanted.attorney_id);
  const which = sql`c.network_id = ${admin.networkId}
    ${wanted.state === undefined ? sql`` : sql`and c.state = ${wanted.state}`}
    ${wanted.attorney_id === undefined ? sql`` : sql`and c.attorney_id = ${wanted.attorney_id}`}
    ${wanted.refund === undefined ? sql`` : sql`and ${lastRefundState} = ${wanted.refund}`}
    ${wanted.refund_by === undefined ? sql`` : sql`and ${lastRefundBy} = ${wanted.refund_by}`}
    ${wanted.held === undefined ? sql`` : sql`and (c.held_at is not null) = ${wanted.held === "true"}`}`;
  return await wireQueryOrThrow(
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

/** One card payment. Throws 404. */
export async function showCard(tx: Db, admin: Admin, paymentId: number): Promise<WireJson> {
  const found = await wireQuery(
    tx,
    sql`select ${cardPaymentJson}::text as body from ${cardPayments}
      where c.network_id = ${admin.networkId} and c.payment_id = ${paymentId}`,
  );
  if (!found) throw notFound("card payment");
  return found;
}

/** An unapplied charge (alias `u`) with its attorney (`a`) in its wire form. */
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
  wanted: PageQuery,
): Promise<WireJson> {
  return await wireQueryOrThrow(
    tx,
    sql`select json_build_object(
      'items', (select coalesce(json_agg(body order by id desc), '[]') from (
        select u.id, ${unappliedJson} as body from ${unappliedPayments}
        where u.network_id = ${admin.networkId} order by u.id desc
        limit ${wanted.per_page} offset ${(wanted.page - 1) * wanted.per_page}) as listed),
      'total', (select count(*) from unapplied_payments where network_id = ${admin.networkId}),
      'page', ${wanted.page}::integer, 'perPage', ${wanted.per_page}::integer)::text as body`,
  );
}

/** One of them. Throws 404. */
export async function showUnapplied(tx: Db, admin: Admin, id: number): Promise<WireJson> {
  const found = await wireQuery(
    tx,
    sql`select ${unappliedJson}::text as body from ${unappliedPayments}
      where u.network_id = ${admin.networkId} and u.id = ${id}`,
  );
  if (!found) throw notFound("unapplied payment");
  return found;
}

/** What a receipt says of a payment, by card or by check. Throws 404 for another's payment. */
export async function showReceiptOf(tx: Db, actor: Actor, paymentId: number): Promise<WireJson> {
  const isOwn = actor.role === "attorney" ? sql`and p.attorney_id = ${actor.attorneyId}` : sql``;
  const found = await wireQuery(
    tx,
    sql`${kept}select json_build_object(
      'paymentId', p.id, 'networkName', n.name, 'attorneyName', a.first_name || ' ' || a.last_name,
      'attorneyAddress', array_remove(array[a.address_line_1, a.address_line_2,
        trim(both ', ' from concat_ws(', ', nullif(a.address_city, ''),
          trim(a.address_region || ' ' || a.address_zip)))], ''),
      'method', p.method, 'status', ${receiptStatus}, 'amount', dollars(p.amount_cents),
      'createdAt', iso(p.created_at), 'settledAt', iso(coalesce(c.settled_at, shares.decided_at)),
      'refundedAt', iso(c.refunded_at), 'failedAt', iso(c.failed_at), 'reference', c.reference, 'transactionId', c.transaction_id,
      'card', ${cardJson}, 'checkNumber', p.check_number, 'shares', shares.listed)::text as body
    from payments p
    join networks n on n.id = p.network_id
    join attorneys a on a.network_id = p.network_id and a.id = p.attorney_id
    left join card_payments c on c.network_id = p.network_id and c.payment_id = p.id
    cross join lateral (
      select json_agg(json_build_object('debitId', d.id, 'name', pl.name,
          'description', pl.description, 'note', e.note, 'dueDate', d.due_on,
          'amount', dollars(s.amount_cents), 'status', s.status) order by s.id) as listed,
        max(s.decided_at) as decided_at,
        array_agg(s.status) as statuses
      from ${shareWithPlan}
      where s.network_id = p.network_id and s.payment_id = p.id
    ) as shares
    where p.network_id = ${actor.networkId} and p.id = ${paymentId} ${isOwn}`,
  );
  if (!found) throw notFound("payment");
  return found;
}

/** The shares of a card are decided together, those of a check one by one: pending while any is. */
const receiptStatus = sql`case
  when p.method = 'online' then case shares.statuses[1]
    when 'pending' then 'processing' when 'approved' then 'paid' when 'denied' then 'declined'
    else shares.statuses[1] end
  when 'pending' = any(shares.statuses) then 'pending'
  when 'approved' = any(shares.statuses) then 'approved'
  when 'refunded' = any(shares.statuses) then 'refunded'
  else 'denied' end`;
