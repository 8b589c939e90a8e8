import { type RawBuilder, sql } from "kysely";
import type { Day } from "#kit/domain/day.ts";
import { type Cents, dollarsText, zero } from "#kit/domain/money.ts";
import type { ChangeAuthor } from "#kit/domain/actor.ts";
import type { Db } from "#kit/db/database.ts";
import { queueMovedReceipt } from "#outgoing/mail/receipts.ts";
import type { ReceiptEvent } from "#outgoing/mail/texts/payments.ts";
import { processorNamed } from "#cards/settings/card-accounts.ts";
import { auditPaymentChange, type LockedPayment } from "#cards/charge/locked-payment.ts";
import { receiveAgain, takeBack, type TakenBack } from "#cards/transactions/take-back.ts";
import type { TransactionKind } from "#cards/shapes.ts";

/** One thing that happened to a card payment after it was made. */
export interface NewTransaction {
  kind: TransactionKind;
  amountCents: Cents;
  on: Day | RawBuilder<Day>;
  processorId: string | null;
  by: "here" | "processor" | "hand";
  refundId?: number;
  note?: string;
}

const takenBackAs: Partial<Record<TransactionKind, TakenBack>> = {
  refund: "refunded",
  failed: "failed",
  chargeback: "charged_back",
};

/** A chargeback emails nobody automatically: the network's staff decide what to say. Source: book rule 7. */
const mailed: Partial<Record<TransactionKind, ReceiptEvent>> = {
  refund: "refunded",
  failed: "failed",
};

const audited: Record<TransactionKind, string> = {
  purchase: "card payment counts again",
  refund: "refunded card payment",
  failed: "card payment failed",
  chargeback: "card payment charged back",
  chargeback_reversed: "chargeback reversed",
};

/**
 * Record a transaction of a locked payment (lockPayment) and its effects: debits are owed or paid again,
 * and the attorney is emailed. `mail`: the email to send for money received again.
 */
export async function recordTransaction(
  tx: Db,
  payment: LockedPayment,
  happened: NewTransaction,
  {
    author,
    mail = mailed[happened.kind],
  }: { author: ChangeAuthor; mail?: ReceiptEvent | undefined },
): Promise<void> {
  const { networkId, paymentId } = payment;
  const { kind, amountCents } = happened;
  await tx
    .insertInto("cardTransactions")
    .values({
      networkId,
      paymentId,
      kind,
      amountCents,
      happenedOn: happened.on,
      processorId: happened.processorId,
      doneBy: happened.by,
      refundId: happened.refundId ?? null,
      note: happened.note ?? "",
      actorUserId: author.userId,
    })
    .execute();
  const as = takenBackAs[kind];
  const moved = as
    ? await takeBack(tx, payment, amountCents, { as, author })
    : await receiveAgain(tx, payment, amountCents, author);
  if (mail) await queueMovedReceipt(tx, networkId, mail, { paymentId, ...moved });
  await auditPaymentChange(
    tx,
    payment,
    audited[kind],
    {
      amount: dollarsText(amountCents),
      transactionId: payment.transactionId,
      ...(happened.note && { note: happened.note }),
    },
    author,
  );
}

/**
 * More was taken back at the processor than the payment received, for example by a refund and a chargeback:
 * staff must look.
 */
export async function setExcessProblem(tx: Db, payment: LockedPayment): Promise<void> {
  await tx
    .updateTable("cardPayments")
    .set({ problem: excessProblem(payment) })
    .where("networkId", "=", payment.networkId)
    .where("paymentId", "=", payment.paymentId)
    .execute();
}

/** Everything the processor lists is recorded, for example after a won chargeback. */
export async function clearExcessProblem(tx: Db, payment: LockedPayment): Promise<void> {
  await tx
    .updateTable("cardPayments")
    .set({ problem: null })
    .where("networkId", "=", payment.networkId)
    .where("paymentId", "=", payment.paymentId)
    .where("problem", "=", excessProblem(payment))
    .execute();
}

function excessProblem({ processor }: LockedPayment): string {
  const { label } = processorNamed(processor);
  return `${label} reports refunds and chargebacks of more than this payment's amount. It may have been both refunded and charged back. Check it at ${label}.`;
}

/** The amount received of a payment now, read after its lock. */
export async function receivedOf(tx: Db, { networkId, paymentId }: LockedPayment): Promise<Cents> {
  const { receivedCents } = await tx
    .selectFrom("cardPayments")
    .select("receivedCents")
    .where("networkId", "=", networkId)
    .where("paymentId", "=", paymentId)
    .executeTakeFirstOrThrow();
  return receivedCents;
}

/** The amount of a payment that is charged back, less what was won. */
export async function chargedBackOf(
  tx: Db,
  { networkId, paymentId }: LockedPayment,
): Promise<Cents> {
  const { rows } = await sql<{ cents: Cents }>`
    select coalesce(-sum(signed_cents(kind, amount_cents)), 0)::bigint as cents
    from card_transactions
    where network_id = ${networkId} and payment_id = ${paymentId} and kind in ('chargeback', 'chargeback_reversed')`.execute(
    tx,
  );
  return rows[0]?.cents ?? zero;
}
