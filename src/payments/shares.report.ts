import { sql } from "kysely";
import { debitCells, debitColumns, ofDebit } from "#dues/ledger/debits.rows.ts";
import { cardColumns, payments } from "#payments/payments.list.ts";
import { wentOfCard } from "#payments/payment-status.ts";
import { receivedOfShare } from "#people/attorney-payments.ts";
import { cardCells, paymentRows } from "#payments/payments.rows.ts";
import { dayOf, money, number, text, word } from "#kit/list/define-list.ts";
import { defineReport } from "#kit/list/define-report.ts";

const { paid_on, paid_at, check_number, status, refunded_on, recorded_by } = payments.columns;
const payment = paymentRows.columns;

/**
 * A refund, failure or return changes the share's `decided_at`, but not the card payment's `settled_at` or the check's
 * `decided_at`.
 */
const confirmedAt = sql`coalesce(c.settled_at, case s.status when 'returned' then k.decided_at else s.decided_at end)`;

/** Payments by the debits that they pay. Source: domain rules §4. */
export const subscriptionPayments = defineReport({
  report: {
    type: "subscription_payments",
    label: "Subscription payments",
    description:
      "Attorneys' payments, one row for each payment's share on each debit. Declined cards are left out.",
    dates: "range",
    timeModes: {
      submitted_at: "Payments made between:",
      confirmed_at: "Payments confirmed between:",
    },
    byAttorney: true,
  },
  columns: {
    payment_id: number("Payment ID", { tooltip: "The same in each share of one payment" }),
    paid_on,
    paid_at,
    ...debitColumns,
    method: word("Method"),
    check_number,
    ...cardColumns,
    status,
    amount: money("Amount", { tooltip: "The share for this debit, whatever its status" }),
    amount_received: money("Amount received", {
      tooltip:
        "The part of the share that counts; 0.00 while pending, denied, refunded, failed or returned",
    }),
    payment_total: money("Payment total", {
      tooltip: "The total of all shares of the payment. Do not add up this column",
    }),
    confirmed_on: dayOf("Confirmed on", {
      tooltip: "When the check was approved or denied, or the card was charged",
    }),
    confirmed_by: text("Confirmed by"),
    refunded_on,
    recorded_by,
    taken_back: money("Taken back", {
      tooltip: "How much of the share was refunded, charged back, returned or not collected",
    }),
  },
  cells: {
    payment_id: sql`s.payment_id`,
    paid_on: sql`s.created_at`,
    paid_at: sql`s.created_at`,
    ...debitCells,
    debit_id: sql`s.debit_id`,
    method: sql`case when s.check_number is null then 'Card' else 'Check' end`,
    check_number: sql`s.check_number`,
    ...cardCells,
    // As the Paid tab names them, for checks and cards.
    status: sql`case when s.check_number is null
      then case when s.status = 'pending' then 'processing' when s.taken_back_cents > 0 then 'partly refunded'
        when s.status = 'approved' then 'paid' else replace(s.status, '_', ' ') end
      else s.status end`,
    amount: sql`s.amount_cents`,
    amount_received: receivedOfShare,
    payment_total: payment.amount,
    confirmed_on: confirmedAt,
    confirmed_by: sql`confirmer.name`,
    refunded_on: payment.refunded_on,
    recorded_by: payment.recorded_by,
    taken_back: sql`case when s.status in ('refunded', 'failed', 'charged_back', 'returned') then s.amount_cents
      else s.taken_back_cents end`,
  },
  from: sql`payment_allocations s
    left join payments y on y.network_id = s.network_id and y.id = s.payment_id
    left join card_payments c on c.network_id = s.network_id and c.payment_id = s.payment_id
    left join received_checks k on k.network_id = y.network_id and k.id = y.received_check_id
    left join users recorder on recorder.network_id = y.network_id and recorder.id = y.created_by
    left join users confirmer on confirmer.network_id = s.network_id and confirmer.id
      = case s.status when 'returned' then k.decided_by else s.decided_by end
    left join debits d on d.network_id = s.network_id and d.id = s.debit_id ${ofDebit} ${wentOfCard}`,
  networkId: sql`s.network_id`,
  always: sql`not (s.check_number is null and s.status = 'denied')`,
  times: {
    submitted_at: { instant: sql`s.created_at` },
    confirmed_at: { instant: confirmedAt },
  },
  attorneyId: sql`s.attorney_id`,
  order: sql`s.id`,
});
