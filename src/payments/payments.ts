import { type RawBuilder, sql } from "kysely";
import { cents, type Cents, formatMoney, sum } from "#kit/domain/money.ts";
import type { Actor } from "#kit/domain/actor.ts";
import type { Db } from "#kit/db/database.ts";
import { debitDescription, debitName, debitNames, debitNote } from "#kit/db/debit-names.ts";
import { shapeJson, tableJson } from "#kit/db/shape-json.ts";
import { invalid, notFound, Refusal } from "#kit/contract/refusal.ts";
import type { PaymentHash } from "#payments/contract.ts";
import {
  CheckPayment,
  CreditPayment,
  OnlinePayment,
  ReversedOnlinePayment,
} from "#payments/shapes.ts";

/** What is said of a share (alias `s`) of a debit with its names, beside its columns. */
const shareFields = {
  name: debitName,
  description: debitDescription,
  note: debitNote,
  dueDate: sql`d.due_on`,
  quantity: sql`s.amount_cents`,
};

/** What of a share (alias `s`) counts now. */
export const receivedOfShare = sql`case s.status when 'approved' then s.amount_cents - s.taken_back_cents else 0 end`;

/** A share of a card payment. */
export const onlinePaymentJson = tableJson(OnlinePayment, "paymentAllocations as s", {
  ...shareFields,
  status: sql`case s.status when 'pending' then 'processing' else 'paid' end`,
  received: receivedOfShare,
});

/** A share of one that was given back, or not collected. */
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

/** The credit of a payment (`kept`, of `paymentsWithCredit`). A mixed check's counts: see domain rules §10. */
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
 * Payments (alias `kept`) for which `which` holds of `y` that brought credit, with what became of its check, or of its card
 * and what then of the credit counts: what is received of the card, and pays no debit.
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

export interface PaymentShare {
  debitId: number;
  amountCents: Cents;
}

/** The shares of a payment in debit order, without those of zero. */
export function sharesOf(hash: PaymentHash): PaymentShare[] {
  return Object.entries(hash)
    .filter(([, amount]) => amount > 0)
    .map(([debitId, amount]) => ({ debitId: Number(debitId), amountCents: amount }))
    .toSorted((a, b) => a.debitId - b.debitId);
}

export function totalOf(shares: PaymentShare[]): Cents {
  return sum(shares.map((share) => share.amountCents));
}

/** A debit that is to be paid, as it is while it is locked. */
export interface DebitToPay {
  id: number;
  /** Its name for people; null where no message needs it. */
  title: string | null;
  attorneyId: number;
  balanceCents: Cents;
  pendingCents: Cents;
}

/** A debit's (alias `d`) name for people: "Panel dues, due 11/01/2026". */
export const titleOfDebit = sql<string>`(
  select ${debitName} || ', due ' || to_char(d.due_on, 'MM/DD/YYYY') from (select) as one ${debitNames})`;

/**
 * Lock the debits of a payment in id order and check that it may be made, as `payingAttorneyOf` says.
 * Answers the attorney whose debits they are.
 */
export async function lockDebitsToPay(
  tx: Db,
  actor: Actor,
  shares: PaymentShare[],
): Promise<{ attorneyId: number }> {
  const debits = await tx
    .selectFrom("debits as d")
    .select(["id", "attorneyId", "balanceCents", "pendingCents", titleOfDebit.as("title")])
    .where("networkId", "=", actor.networkId)
    .where(
      "id",
      "in",
      shares.map((share) => share.debitId),
    )
    .orderBy("id")
    .forUpdate()
    .execute();
  return { attorneyId: payingAttorneyOf(actor, shares, debits) };
}

/**
 * The attorney whose debits a payment pays. It may be made when each debit is one that the actor may pay (404),
 * all belong to one attorney (422), and each share fits what is owed less what is pending (409).
 * Debits and shares come in the same order. Source: domain rules §4.
 */
export function payingAttorneyOf(
  actor: Actor,
  shares: PaymentShare[],
  debits: DebitToPay[],
): number {
  const isForeign = (debit: { attorneyId: number }) =>
    actor.role === "attorney" && debit.attorneyId !== actor.attorneyId;
  const [first] = debits;
  if (!first || debits.length < shares.length || debits.some(isForeign)) throw notFound("debit");
  if (debits.some((debit) => debit.attorneyId !== first.attorneyId))
    throw invalid("payment_hash", "All debits of one payment must belong to the same attorney.");
  for (const [index, debit] of debits.entries()) {
    const available = cents(debit.balanceCents - debit.pendingCents);
    if ((shares[index]?.amountCents ?? 0) > available)
      throw amountTooLarge(`payment_hash.${debit.id}`, debit.title, available);
  }
  return first.attorneyId;
}

/** A share is more than what is owed on its debit less what is pending. */
export function amountTooLarge(path: string, title: string | null, available: Cents): Refusal {
  const message = `At most ${formatMoney(available)} can be paid on ${title}: the rest is paid or awaits confirmation.`;
  return new Refusal(409, message, { errors: [{ path, message }] });
}

/** What an attorney can pay now: all that is owed less what is pending. */
export async function sumAvailable(tx: Db, networkId: number, attorneyId: number): Promise<Cents> {
  const { rows } = await sql<{ available: Cents }>`
    select coalesce(sum(balance_cents - pending_cents), 0)::bigint as available from debits
    where network_id = ${networkId} and attorney_id = ${attorneyId}`.execute(tx);
  return rows[0]?.available ?? cents(0);
}
