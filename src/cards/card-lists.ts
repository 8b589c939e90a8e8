import { sql } from "kysely";
import type { Admin } from "#kit/domain/actor.ts";
import type { Db } from "#kit/db/database.ts";
import { debitName, debitNames, debitNote } from "#kit/db/debit-names.ts";
import { type RawJson, selectJson, selectJsonOrThrow } from "#kit/db/json-query.ts";
import { listJson, pageJson, rowJson, shapeJson, tableJson } from "#kit/db/shape-json.ts";
import type { Page } from "#kit/contract/page.ts";
import { notFound } from "#kit/contract/refusal.ts";
import { refuseUnknownAttorney } from "#panel/known-attorney.ts";
import type { CardPaymentsWanted } from "#cards/contract.ts";
import { CardPayment, Transaction } from "#cards/shapes.ts";
import { statusOfCard } from "#payments/payment-status.ts";
import { receivedOfShare } from "#people/attorney-payments.ts";
import { cardJson, namedShares } from "#payments/receipts.ts";

const paidDebit = {
  debitId: sql`d.id`,
  name: debitName,
  note: debitNote,
  dueDate: sql`d.due_on`,
};

const creditOf = sql`k.network_id = c.network_id and k.payment_id = c.payment_id`;

/**
 * The part of a card payment (alias `c`) that became credit, in the order `takeBack` uses
 * (take-back.ts).
 */
const creditJson = shapeJson(CardPayment.shape.credit, {
  unused: sql`(select coalesce(sum(k.left_cents), 0)::bigint from credits k where ${creditOf})`,
  applied: listJson(
    shapeJson(CardPayment.shape.credit.shape.applied.element, {
      ...paidDebit,
      amount: sql`applied.cents`,
    }),
    {
      from: sql`(
          select e.network_id, e.debit_id, -sum(e.credit_cents)::bigint as cents, max(e.id) as newest
          from credits k
          join entries e on e.network_id = k.network_id and e.credit_id = k.id and e.debit_id is not null
          where ${creditOf}
          group by e.network_id, k.id, e.debit_id having sum(e.credit_cents) < 0) as applied
        join debits d on d.network_id = applied.network_id and d.id = applied.debit_id ${debitNames}`,
      order: sql`applied.newest desc`,
    },
  ),
});

/** A card payment (alias `c`) with its payment (`p`) and attorney (`a`). */
const cardPaymentJson = tableJson(CardPayment, "cardPayments as c", {
  id: sql`c.payment_id`,
  attorneyName: sql`a.first_name || ' ' || a.last_name`,
  amount: sql`p.amount_cents`,
  received: sql`c.received_cents`,
  status: statusOfCard(sql`p.amount_cents`),
  processor: sql`c.processor`,
  card: cardJson,
  problem: sql`coalesce(c.problem, c.message)`,
  refund: rowJson(
    tableJson(CardPayment.shape.refund.unwrap(), "cardRefunds as r", {}),
    sql`card_refunds r where r.network_id = c.network_id and r.payment_id = c.payment_id
      order by r.id desc limit 1`,
  ),
  transactions: listJson(
    tableJson(Transaction, "cardTransactions as t", {
      on: sql`t.happened_on`,
      by: sql`t.done_by`,
    }),
    {
      from: sql`card_transactions t where t.network_id = c.network_id and t.payment_id = c.payment_id`,
      order: sql`t.id`,
    },
  ),
  unseenChargebacks: sql`(select coalesce(sum(t.amount_cents), 0)::bigint from card_transactions t
    where t.network_id = c.network_id and t.payment_id = c.payment_id and t.kind = 'chargeback' and t.seen_at is null)`,
  shares: listJson(
    shapeJson(CardPayment.shape.shares.element, {
      ...paidDebit,
      amount: sql`s.amount_cents`,
      paid: receivedOfShare,
    }),
    {
      from: sql`${namedShares}
        where s.network_id = c.network_id and s.payment_id = c.payment_id`,
      order: sql`s.id`,
    },
  ),
  credit: creditJson,
});

const lastRefundState = sql`(
  select r.state from card_refunds r where r.network_id = c.network_id and r.payment_id = c.payment_id
  order by r.id desc limit 1)`;

/**
 * True if the last refund of a captured payment (alias `c`) failed. Starts from failed refunds: they are
 * few, payments are many.
 */
export const isRefundFailed = (networkId: number) => sql`(c.state = 'captured' and c.payment_id in (
  select r.payment_id from card_refunds r where r.network_id = ${networkId} and r.state = 'failed')
  and ${lastRefundState} = 'failed')`;

/**
 * True if a card payment (alias `c`) has an unseen chargeback. Starts from unseen chargebacks: they are
 * few.
 */
export const isUnseenChargeback = (networkId: number) => sql`c.payment_id in (
  select t.payment_id from card_transactions t
  where t.network_id = ${networkId} and t.kind = 'chargeback' and t.seen_at is null)`;

/** True if any debit of a card payment (alias `c`) is still owed. */
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
): Promise<RawJson<Page<CardPayment>>> {
  if (wanted.attorney_id) await refuseUnknownAttorney(tx, admin, wanted.attorney_id);
  const which = sql`c.network_id = ${admin.networkId}
    ${wanted.state === undefined ? sql`` : sql`and c.state = ${wanted.state}`}
    ${wanted.attorney_id === undefined ? sql`` : sql`and c.attorney_id = ${wanted.attorney_id}`}
    ${wanted.refund === undefined ? sql`` : refundIs(admin, wanted)}
    ${wanted.refund_by === undefined ? sql`` : sql`and ${lastRefundBy} = ${wanted.refund_by}`}
    ${wanted.held === undefined ? sql`` : sql`and (c.held_at is not null) = ${wanted.held === "true"}`}
    ${wanted.owed === undefined ? sql`` : sql`and ${isStillOwed}`}
    ${wanted.chargeback === undefined ? sql`` : sql`and ${isUnseenChargeback(admin.networkId)}`}`;
  return await selectJsonOrThrow(
    tx,
    pageJson(
      CardPayment,
      cardPaymentJson,
      {
        from: sql`${cardPayments} where ${which}`,
        order: sql`c.payment_id desc`,
        counted: sql`card_payments c where ${which}`,
      },
      wanted,
    ),
  );
}

const refundIs = ({ networkId }: Admin, { state, refund }: CardPaymentsWanted) =>
  state === "captured" && refund === "failed"
    ? sql`and ${isRefundFailed(networkId)}`
    : sql`and ${lastRefundState} = ${refund}`;

/** One card payment. Throws 404. */
export async function showCard(
  tx: Db,
  admin: Admin,
  paymentId: number,
): Promise<RawJson<CardPayment>> {
  const found = await selectJson(tx, cardPaymentJson, {
    from: sql`${cardPayments} where c.network_id = ${admin.networkId} and c.payment_id = ${paymentId}`,
  });
  if (!found) throw notFound("card payment");
  return found;
}
