import { type RawBuilder, sql } from "kysely";
import type { Cents } from "#kit/domain/money.ts";
import type { Db } from "#kit/db/database.ts";
import { debitName, debitNames, debitNote } from "#kit/db/debit-names.ts";
import type { ReceiptEvent } from "#outgoing/mail/texts/payments.ts";

/** Events that can happen twice to a share, such as a second refund after the first one failed. */
const recurring: ReadonlySet<ReceiptEvent> = new Set([
  "refunded",
  "counts again",
  "failed",
  "came through",
]);

interface Receipts {
  /** Rows of payments. `credit_cents` is the credit to list, `firm` the name of the firm that wrote the check, if any. */
  payments: RawBuilder<unknown>;
  /** Rows of payment_allocations to list, with the amounts to show. */
  shares: RawBuilder<unknown>;
  receipt: ReceiptEvent;
  /** The whole card payment, of which this may be a part. */
  paidByCard?: RawBuilder<unknown>;
}

/**
 * The statement that queues receipts, one per payment with its shares and credit, in the transaction that moves
 * the money. The same receipt for the same shares is queued once. The rows may come from another part of the
 * same statement.
 */
export function receiptsOf({
  payments,
  shares,
  receipt,
  paidByCard,
}: Receipts): RawBuilder<unknown> {
  const repeat = recurring.has(receipt) ? lastTransaction : sql`''`;
  return sql`
    insert into mails (network_id, attorney_id, occasion, recipient, facts, page_path)
    select y.network_id, a.id,
      'payment ' || ${receipt}::text || ':' || y.id || ':' || coalesce(listed.first_share, 0) || ${repeat}, a.email,
      json_build_object('kind', 'receipt', 'event', ${receipt}::text, 'firstName', a.first_name,
        'checkNumber', y.check_number, 'shares', coalesce(listed.shares, '[]'),
        'creditCents', y.credit_cents, 'paidCents', ${paidByCard ?? sql`null::bigint`}, 'firm', y.firm, 'hasLeft', a.left_on is not null),
      case when a.left_on is null then '/receipts/' || y.id end
    from ${payments} as y
    join attorneys a on a.network_id = y.network_id and a.id = y.attorney_id
    left join (
      select s.payment_id, min(s.id) as first_share,
        json_agg(json_build_object('plan', ${debitName}, 'note', ${debitNote}, 'dueOn', d.due_on,
          'amountCents', s.amount_cents) order by d.due_on, d.id) as shares
      from ${shares} as s
      join debits d on d.network_id = s.network_id and d.id = s.debit_id ${debitNames}
      group by s.payment_id
    ) as listed on listed.payment_id = y.id
    where listed.payment_id is not null or y.credit_cents > 0
    order by y.id
    on conflict (network_id, occasion) do nothing`;
}

/** The card transaction of the receipt. It tells a second receipt of the same event from the first. */
const lastTransaction = sql`(
  select ':t' || max(t.id) from card_transactions t where t.network_id = y.network_id and t.payment_id = y.id)`;

const cardPayment = (networkId: number, paymentId: number, credit: RawBuilder<unknown>) => sql`(
  select network_id, id, attorney_id, check_number, ${credit} as credit_cents, amount_cents as paid_cents, null::text as firm
  from payments where network_id = ${networkId} and id = ${paymentId})`;

/** Queue a receipt for a charged card. */
export async function queueCapturedReceipt(
  tx: Db,
  networkId: number,
  paymentId: number,
): Promise<void> {
  const payments = cardPayment(networkId, paymentId, sql`credit_cents`);
  const shares = sql`(
    select * from payment_allocations where network_id = ${networkId} and payment_id = ${paymentId})`;
  await sql`${receiptsOf({ payments, shares, receipt: "captured" })}`.execute(tx);
}

/** The parts of a card payment that moved. */
interface MovedParts {
  paymentId: number;
  shares: { id: number; amountCents: Cents }[];
  creditCents: Cents;
}

/** Queue a receipt for the parts of a card payment that were refunded, reversed or restored. */
export async function queueMovedReceipt(
  tx: Db,
  networkId: number,
  receipt: ReceiptEvent,
  { paymentId, shares: moved, creditCents }: MovedParts,
): Promise<void> {
  const payments = cardPayment(networkId, paymentId, sql`${creditCents}::bigint`);
  const shares = sql`(
    select s.network_id, s.id, s.payment_id, s.debit_id, part.amount_cents
    from unnest(${moved.map(({ id }) => id)}::bigint[], ${moved.map((part) => part.amountCents)}::bigint[])
      as part (id, amount_cents)
    join payment_allocations s on s.network_id = ${networkId} and s.id = part.id)`;
  await sql`${receiptsOf({ payments, shares, receipt, paidByCard: sql`y.paid_cents` })}`.execute(
    tx,
  );
}

/** Queue receipts for the credit of checks whose last share was decided on its own. */
export async function queueCreditReceipts(
  tx: Db,
  networkId: number,
  checkIds: number[],
): Promise<void> {
  const payments = sql`(
    select y.network_id, y.id, y.attorney_id, y.check_number, y.credit_cents, firm.name as firm
    from received_checks c
    join payments y on y.network_id = c.network_id and y.received_check_id = c.id and y.credit_cents > 0
    left join firms firm on firm.network_id = c.network_id and firm.id = c.firm_id
    where c.network_id = ${networkId} and c.id = any(${checkIds}::bigint[])
      and c.status in ('approved', 'mixed'))`;
  const shares = sql`(select * from payment_allocations where false)`;
  await sql`${receiptsOf({ payments, shares, receipt: "credited" })}`.execute(tx);
}
