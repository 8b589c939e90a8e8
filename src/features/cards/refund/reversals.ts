import { sql } from "kysely";
import type { Doer } from "#domain/actor.ts";
import { notifyOnCommit } from "#db/changes.ts";
import type { Db } from "#db/database.ts";
import { queueReceipts } from "#features/mail/receipts.ts";
import type { ReceiptEvent } from "#features/mail/templates.ts";
import {
  type LockedPayment,
  lockPayment,
  type PaymentKey,
  type PaymentOutcome,
  auditPaymentChange,
} from "#features/cards/charge/locked-payment.ts";

/*
 * Payments that were refunded or failed, and those that count again after all: the ledger gets new
 * entries, and none is changed.
 */

/** Reverse a payment that its processor has voided or refunded, unless that is done. */
export async function reversePayment(tx: Db, key: PaymentKey, doer: Doer): Promise<void> {
  const payment = await lockPayment(tx, key);
  if (payment.state === "captured") await reverse(tx, payment, doer);
}

/** Mark the unapplied part of a charge as resolved once the charge was voided or refunded. */
export async function resolveUnapplied(
  tx: Db,
  charge: { networkId: number; processor: string; transactionId: string | null },
): Promise<void> {
  await tx
    .updateTable("unappliedPayments")
    .set({ resolvedAt: sql<string>`now()` })
    .where("networkId", "=", charge.networkId)
    .where("processor", "=", charge.processor)
    .where("transactionId", "=", charge.transactionId)
    .where("resolvedAt", "is", null)
    .execute();
  notifyOnCommit(tx, charge.networkId, null, "administration");
}

/** Voided or refunded, by our request or in the processor's own pages: the debits are owed again. */
export async function reverse(tx: Db, payment: LockedPayment, doer: Doer): Promise<PaymentOutcome> {
  await tx
    .updateTable("cardPayments")
    .set({
      state: "refunded",
      refundedAt: sql<string>`now()`,
      refundedBy: doer.userId,
      followAt: null,
    })
    .where("networkId", "=", payment.networkId)
    .where("paymentId", "=", payment.paymentId)
    .execute();
  await resolveUnapplied(tx, payment);
  await queueReceipts(tx, payment.networkId, "refunded", { paymentIds: [payment.paymentId] });
  await auditPaymentChange(
    tx,
    payment,
    "refunded card payment",
    { transactionId: payment.transactionId },
    doer,
  );
  return { state: "refunded", message: null };
}

/** Approved, and not collected after all: the debits are owed again. Its sale is still looked up. */
export async function failSale(tx: Db, payment: LockedPayment): Promise<PaymentOutcome> {
  await tx
    .updateTable("cardPayments")
    .set({ state: "failed", failedAt: sql<string>`now()`, problem: saleFailed })
    .where("networkId", "=", payment.networkId)
    .where("paymentId", "=", payment.paymentId)
    .execute();
  await resolveUnapplied(tx, payment);
  await queueReceipts(tx, payment.networkId, "failed", { paymentIds: [payment.paymentId] });
  await auditPaymentChange(tx, payment, "card payment failed", {
    transactionId: payment.transactionId,
  });
  return { state: "failed", message: null };
}

const saleFailed = "Approved, but the card processor could not collect it at settlement.";

/** A sale that had failed was collected in a later batch. */
export async function restoreSale(tx: Db, payment: LockedPayment): Promise<PaymentOutcome> {
  const counts = await countAgain(tx, payment, "came through");
  await auditPaymentChange(tx, payment, "failed card payment came through", { counts });
  return { state: counts ? "captured" : "failed", message: null };
}

/** The refund of a payment came to nothing: its money is with the network again. */
export async function restorePayment(tx: Db, key: PaymentKey, why: string): Promise<void> {
  const payment = await lockPayment(tx, key);
  if (payment.state !== "refunded") return;
  const counts = await countAgain(tx, payment, "counts again");
  await auditPaymentChange(tx, payment, "refund failed", { reason: why, counts });
}

/**
 * The payment counts again, if all that it paid is still owed; where that has been paid otherwise, its
 * whole charge is listed as unapplied, for an administrator to decide about. Answers whether it counts.
 */
async function countAgain(tx: Db, payment: LockedPayment, receipt: ReceiptEvent): Promise<boolean> {
  const isOwed = await isStillOwed(tx, payment);
  if (isOwed) await captureAgain(tx, payment, receipt);
  else await listAsUnapplied(tx, payment);
  return isOwed;
}

async function isStillOwed(tx: Db, { networkId, paymentId }: LockedPayment): Promise<boolean> {
  const { rows } = await sql`
    select 1 from payment_allocations s
    join debits d on d.network_id = s.network_id and d.id = s.debit_id
    where s.network_id = ${networkId} and s.payment_id = ${paymentId}
      and s.amount_cents > d.balance_cents - d.pending_cents limit 1`.execute(tx);
  return rows.length === 0;
}

async function captureAgain(
  tx: Db,
  { networkId, paymentId }: LockedPayment,
  receipt: ReceiptEvent,
): Promise<void> {
  await tx
    .updateTable("cardPayments")
    .set({ state: "captured", refundedAt: null, refundedBy: null, failedAt: null, problem: null })
    .where("networkId", "=", networkId)
    .where("paymentId", "=", paymentId)
    .execute();
  await tx
    .updateTable("unappliedPayments")
    .set({ resolvedAt: null })
    .where("networkId", "=", networkId)
    .where("paymentId", "=", paymentId)
    .execute();
  await queueReceipts(tx, networkId, receipt, { paymentIds: [paymentId] });
}

/** An unapplied remainder that was listed before becomes the whole charge. */
async function listAsUnapplied(tx: Db, payment: LockedPayment): Promise<void> {
  await tx
    .updateTable("cardPayments")
    .set({ followAt: null })
    .where("networkId", "=", payment.networkId)
    .where("paymentId", "=", payment.paymentId)
    .execute();
  await sql`
    insert into unapplied_payments (network_id, attorney_id, processor, card_processor_id,
      transaction_id, reference, amount_cents, charged_cents)
    values (${payment.networkId}, ${payment.attorneyId}, ${payment.processor}, ${payment.cardProcessorId},
      ${payment.transactionId}, ${payment.reference}, ${payment.amountCents}, ${payment.amountCents})
    on conflict on constraint unapplied_payments_once do update
    set amount_cents = unapplied_payments.charged_cents, payment_id = null, resolved_at = null`.execute(
    tx,
  );
}
