import { type RawBuilder, sql } from "kysely";
import { debitDescription, debitName, debitNote } from "#kit/db/debit-names.ts";
import { shapeJson, tableJson } from "#kit/db/shape-json.ts";
import { CheckPayment, CreditPayment, OnlinePayment, ReversedOnlinePayment } from "./contract.ts";

/* An attorney's payments as the attorney's record lists them: one row per share of a debit, and one per credit. */

/** Fields of a share (alias `s`) that come from its debit. */
const shareFields = {
  name: debitName,
  description: debitDescription,
  note: debitNote,
  dueDate: sql`d.due_on`,
  quantity: sql`s.amount_cents`,
};

/** The part of a share (alias `s`) that still counts as received, in cents. */
export const receivedOfShare = sql`case s.status when 'approved' then s.amount_cents - s.taken_back_cents else 0 end`;

/** A share of a card payment. */
export const onlinePaymentJson = tableJson(OnlinePayment, "paymentAllocations as s", {
  ...shareFields,
  status: sql`case s.status when 'pending' then 'processing' else 'paid' end`,
  received: receivedOfShare,
});

/** A share of a card payment that was refunded, charged back or not collected. */
export const reversedOnlinePaymentJson = tableJson(
  ReversedOnlinePayment,
  "paymentAllocations as s",
  {
    ...shareFields,
    status: sql`replace(s.status, '_', ' ')`,
  },
);

/** A share of a check. */
export const checkPaymentJson = tableJson(CheckPayment, "paymentAllocations as s", {
  ...shareFields,
  checkNumber: sql`s.check_number`,
  status: sql`s.status`,
});

/** The credit of a payment (`kept`, from `paymentsWithCredit`). A mixed check's credit counts. Source: domain rules §10. */
export const creditPaymentJson = shapeJson(CreditPayment, {
  paymentId: sql`kept.id`,
  checkNumber: sql`kept.check_number`,
  quantity: sql`kept.credit_cents`,
  createdAt: sql`kept.created_at`,
  status: sql`case when kept.check_status = 'mixed' then 'approved' when kept.check_status is not null then kept.check_status
    when kept.state = 'processing' then 'processing'
    when kept.received_cents >= kept.credit_cents then 'paid'
    when kept.received_cents > 0 then 'partly refunded'
    when kept.state = 'captured' then (
      select case t.kind when 'chargeback' then 'charged back' else 'refunded' end from card_transactions t
      where t.network_id = kept.network_id and t.payment_id = kept.id and t.kind in ('refund', 'chargeback')
      order by t.id desc limit 1)
    else replace(kept.state, '_', ' ') end`,
  received: sql`case when kept.check_status is null then kept.received_cents
    when kept.check_status in ('approved', 'mixed') then kept.credit_cents else 0 end`,
});

/**
 * Payments (alias `kept`) with credit that match the condition `which` on `y`, with the status of the check or card.
 * `received_cents` of a card is the amount received that pays no debit.
 */
export const paymentsWithCredit = (which: RawBuilder<unknown>) => sql`(
  select y.network_id, y.id, y.check_number, y.created_at, k.status as check_status, c.state,
    greatest(y.credit_cents, counted.received_cents) as credit_cents, counted.received_cents
  from payments y
  left join received_checks k on k.network_id = y.network_id and k.id = y.received_check_id
  left join card_payments c on c.network_id = y.network_id and c.payment_id = y.id
  left join lateral (
    select (c.received_cents - coalesce(sum(s.amount_cents - s.taken_back_cents), 0))::bigint as received_cents
    from payment_allocations s
    where s.network_id = y.network_id and s.payment_id = y.id and s.status = 'approved'
  ) as counted on c.payment_id is not null
  where ${which} and (c.state is null or c.state <> 'declined')
    and (y.credit_cents > 0 or counted.received_cents > 0)) as kept`;
