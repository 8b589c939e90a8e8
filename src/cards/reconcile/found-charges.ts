import { sql } from "kysely";
import { cents, type Cents, dollarsText, sum, zero } from "#kit/domain/money.ts";
import type { ChangeAuthor } from "#kit/domain/actor.ts";
import { audit } from "#kit/db/audit.ts";
import { notifyOnCommit } from "#kit/db/changes.ts";
import type { Db } from "#kit/db/database.ts";
import { queueCapturedReceipt } from "#outgoing/mail/receipts.ts";
import type { PaymentShare } from "#payments/payments.ts";
import { brandName } from "#cards/processors/brands.ts";
import type { Approved, Card } from "#cards/processors/processor.ts";
import { sha256Of, referenceOf } from "#cards/card-payment-context.ts";

/** An approved charge without a recorded payment. */
export interface UnmatchedCharge {
  networkId: number;
  attorneyId: number;
  processor: string;
  cardProcessorId: number;
  sessionId: number | null;
  transactionId: string;
  amountCents: Cents;
  card: Card | null;
}

/**
 * Post an approved charge to the attorney's oldest due debits; the rest becomes credit. Posts each
 * transaction once, however often it is found. Source: domain rules §4, book rule 4.
 */
export async function postUnmatchedCharge(
  tx: Db,
  found: UnmatchedCharge,
  author: ChangeAuthor,
): Promise<void> {
  await lockPayingAttorney(tx, found.networkId, found.attorneyId);
  if (await isRecorded(tx, found)) return;
  const shares = await oldestFirst(tx, found);
  const posted = sum(shares.map((share) => share.amountCents));
  const left = cents(found.amountCents - posted);
  const paymentId = await insertPosted(tx, found, { shares, creditCents: left }, author);
  await audit(tx, author, {
    action: "posted card charge",
    recordType: "payment",
    recordId: paymentId,
    after: {
      attorneyId: found.attorneyId,
      transactionId: found.transactionId,
      posted: dollarsText(posted),
      becameCredit: dollarsText(left),
    },
  });
  notifyOnCommit(tx, found.networkId, found.attorneyId);
}

/** The lock for anything that makes, settles or posts an attorney's card payments. */
export async function lockPayingAttorney(
  tx: Db,
  networkId: number,
  attorneyId: number,
): Promise<void> {
  await sql`select id from attorneys where network_id = ${networkId} and id = ${attorneyId}
    for no key update`.execute(tx);
}

export async function isRecorded(
  tx: Db,
  charge: { networkId: number; processor: string; transactionId: string },
): Promise<boolean> {
  const { rows } = await sql`
    select 1 from card_payments where network_id = ${charge.networkId}
      and processor = ${charge.processor} and transaction_id = ${charge.transactionId}
      and state in ('captured', 'refunded', 'failed', 'charged_back')
    limit 1`.execute(tx);
  return rows.length > 0;
}

async function oldestFirst(tx: Db, found: UnmatchedCharge): Promise<PaymentShare[]> {
  const debits = await tx
    .selectFrom("debits")
    .select(["id", "dueOn", "balanceCents", "pendingCents"])
    .where("networkId", "=", found.networkId)
    .where("attorneyId", "=", found.attorneyId)
    .where("balanceCents", ">", cents(0))
    .orderBy("id")
    .forUpdate()
    .execute();
  const shares: PaymentShare[] = [];
  let left: number = found.amountCents;
  for (const debit of debits.toSorted((a, b) => a.dueOn.localeCompare(b.dueOn) || a.id - b.id)) {
    const amount = Math.min(left, debit.balanceCents - debit.pendingCents);
    if (amount <= 0) continue;
    shares.push({ debitId: debit.id, amountCents: cents(amount) });
    left -= amount;
  }
  return shares;
}

async function insertPosted(
  tx: Db,
  found: UnmatchedCharge,
  what: Pick<NewOnlinePayment, "shares" | "creditCents">,
  author: ChangeAuthor,
): Promise<number> {
  const { networkId, attorneyId, processor, transactionId } = found;
  const paymentId = await insertOnlinePayment(tx, {
    networkId,
    attorneyId,
    createdBy: null,
    ...what,
  });
  await tx
    .insertInto("cardPayments")
    .values({
      networkId,
      paymentId,
      attorneyId,
      processor,
      cardProcessorId: found.cardProcessorId,
      sessionId: found.sessionId,
      reference: referenceOf(networkId, processor, transactionId),
      tokenHash: sha256Of("found", transactionId),
      sharesHash: sha256Of(networkId, transactionId),
      nextLookAt: sql<string>`now()`,
    })
    .execute();
  await captureCardPayment(tx, { networkId, paymentId }, found, author);
  return paymentId;
}

export interface NewOnlinePayment {
  networkId: number;
  attorneyId: number;
  createdBy: number | null;
  shares: PaymentShare[];
  /** The part that fits no debit. */
  creditCents?: Cents;
}

/** Insert the payment row and reserve its shares on their debits. Answers its id. */
export async function insertOnlinePayment(tx: Db, paid: NewOnlinePayment): Promise<number> {
  const credit = paid.creditCents ?? zero;
  const { rows } = await sql<{ id: number }>`
    with paid as (
      insert into payments (network_id, attorney_id, method, amount_cents, credit_cents, created_by)
      values (${paid.networkId}, ${paid.attorneyId}, 'online', ${sum([...paid.shares.map((share) => share.amountCents), credit])},
        ${credit}, ${paid.createdBy})
      returning network_id, id, attorney_id
    ), shared as (
      insert into payment_allocations (network_id, attorney_id, payment_id, debit_id, amount_cents)
      select paid.network_id, paid.attorney_id, paid.id, share.debit_id, share.amount_cents
      from paid, unnest(
        ${paid.shares.map((share) => share.debitId)}::bigint[],
        ${paid.shares.map((share) => share.amountCents)}::bigint[]
      ) as share (debit_id, amount_cents)
    )
    select id from paid`.execute(tx);
  if (!rows[0]) throw new Error("The payment was not inserted.");
  return rows[0].id;
}

/** Post a payment whose charge the processor has confirmed: its shares reduce their balances. */
export async function captureCardPayment(
  tx: Db,
  which: { networkId: number; paymentId: number },
  charged: Pick<Approved, "transactionId" | "card">,
  author: ChangeAuthor,
): Promise<void> {
  const lastFour = charged.card?.lastFour ?? "";
  await tx
    .updateTable("cardPayments")
    .set({
      state: "captured",
      transactionId: charged.transactionId,
      cardBrand: brandName(charged.card?.brand ?? ""),
      cardLastFour: /^\d{4}$/.test(lastFour) ? lastFour : "",
      problem: null,
      heldAt: null,
      nextLookAt: null,
      settledAt: sql<string>`now()`,
      settledBy: author.userId,
      followAt: sql<string>`now() + interval '1 day'`,
    })
    .where("networkId", "=", which.networkId)
    .where("paymentId", "=", which.paymentId)
    .execute();
  await queueCapturedReceipt(tx, which.networkId, which.paymentId);
}
