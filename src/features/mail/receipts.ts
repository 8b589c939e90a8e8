import { type RawBuilder, sql } from "kysely";
import type { Cents } from "#domain/money.ts";
import type { Db } from "#db/database.ts";
import { debitName, debitNames, debitNote } from "#db/debit-names.ts";
import type { ReceiptEvent } from "#features/mail/templates.ts";

/** Those that a share can come to twice: given back again, after the first had come to nothing. */
const recurring: ReadonlySet<ReceiptEvent> = new Set([
  "refunded",
  "counts again",
  "failed",
  "came through",
]);

/** Which shares a receipt is for: all of some payments, or those that were just decided. */
export type Receipted = { paymentIds: number[] } | { shareIds: number[] };

/**
 * Put receipts into the outbox, one for each payment, in the transaction that moves the money. The
 * same receipt for the same shares is made once.
 */
export async function queueReceipts(
  tx: Db,
  networkId: number,
  receipt: ReceiptEvent,
  which: Receipted,
): Promise<void> {
  const chosen =
    "paymentIds" in which
      ? sql`payment_id = any(${which.paymentIds}::bigint[])`
      : sql`id = any(${which.shareIds}::bigint[])`;
  const shares = sql`(select * from payment_allocations where network_id = ${networkId} and ${chosen})`;
  await sql`${receiptsOf(shares, receipt)}`.execute(tx);
}

/** The same for what has moved of some shares. */
export async function queueMovedReceipts(
  tx: Db,
  networkId: number,
  receipt: ReceiptEvent,
  moved: { id: number; amountCents: Cents }[],
): Promise<void> {
  if (moved.length === 0) return;
  const shares = sql`(
    select s.network_id, s.id, s.payment_id, s.attorney_id, s.debit_id, s.check_number, part.amount_cents
    from unnest(${moved.map(({ id }) => id)}::bigint[], ${moved.map((part) => part.amountCents)}::bigint[])
      as part (id, amount_cents)
    join payment_allocations s on s.network_id = ${networkId} and s.id = part.id)`;
  await sql`${receiptsOf(shares, receipt)}`.execute(tx);
}

/**
 * The statement that makes receipts for rows of payment_allocations, which may also be those that
 * another part of the same statement makes.
 */
export function receiptsOf(
  shares: RawBuilder<unknown>,
  receipt: ReceiptEvent,
): RawBuilder<unknown> {
  const turn = recurring.has(receipt) ? turnOfReceipt : sql`''`;
  return sql`
    insert into mails (network_id, attorney_id, occasion, recipient, facts, page_path)
    select network_id, attorney_id, 'payment ' || ${receipt}::text || ':' || payment_id || ':' || first_share || ${turn}, email,
      json_build_object('kind', 'receipt', 'event', ${receipt}::text, 'firstName', first_name,
        'checkNumber', check_number, 'shares', shares, 'firm', firm, 'hasLeft', has_left),
      case when not has_left then '/receipts/' || payment_id end
    from (
      select s.network_id, s.payment_id, s.attorney_id, s.check_number, min(s.id) as first_share,
        json_agg(json_build_object('plan', ${debitName}, 'note', ${debitNote}, 'dueOn', d.due_on,
          'amountCents', s.amount_cents) order by d.due_on, d.id) as shares,
        a.first_name, a.email, a.left_on is not null as has_left, firm.name as firm
      from ${shares} as s
      join debits d on d.network_id = s.network_id and d.id = s.debit_id ${debitNames}
      join attorneys a on a.network_id = s.network_id and a.id = s.attorney_id
      -- Not there yet of a check that is being recorded by its shares alone, which is never a firm's.
      left join payments y on y.network_id = s.network_id and y.id = s.payment_id
      left join received_checks k on k.network_id = y.network_id and k.id = y.received_check_id
      left join firms firm on firm.network_id = k.network_id and firm.id = k.firm_id
      group by s.network_id, s.payment_id, s.attorney_id, s.check_number, a.first_name, a.email, a.left_on, firm.name
    ) as receipts
    order by payment_id
    on conflict (network_id, occasion) do nothing`;
}

/** What tells the receipt of a second time from that of the first: nothing, then ":2" and so on. */
const turnOfReceipt = sql`(
  select case when count(*) > 1 then ':' || count(*) else '' end from entries l
  where l.network_id = receipts.network_id and l.allocation_id = first_share and l.cause = 'reversal')`;

/** What receipts of checks are made of. */
interface CheckReceipts {
  /** Rows of payments, with the name of the `firm` whose check it is, if any. */
  payments: RawBuilder<unknown>;
  /** The rows of payment_allocations to tell of. */
  shares: RawBuilder<unknown>;
  receipt: ReceiptEvent;
}

/**
 * The statement that makes receipts for checks that are recorded or decided whole: one for each payment,
 * with its shares and its credit. The rows may be those that another part of the same statement makes.
 */
export function receiptsOfChecks({
  payments,
  shares,
  receipt,
}: CheckReceipts): RawBuilder<unknown> {
  return sql`
    insert into mails (network_id, attorney_id, occasion, recipient, facts, page_path)
    select y.network_id, a.id, 'payment ' || ${receipt}::text || ':' || y.id || ':' || coalesce(listed.first_share, 0), a.email,
      json_build_object('kind', 'receipt', 'event', ${receipt}::text, 'firstName', a.first_name,
        'checkNumber', y.check_number, 'shares', coalesce(listed.shares, '[]'),
        'creditCents', y.credit_cents, 'firm', y.firm, 'hasLeft', a.left_on is not null),
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

/** Tell of the credit that checks have brought whose last share was decided by itself. */
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
  await sql`${receiptsOfChecks({ payments, shares, receipt: "credited" })}`.execute(tx);
}
