import { sql } from "kysely";
import { cents, type Cents } from "#domain/money.ts";
import type { Db } from "#db/database.ts";
import {
  type CardAccount,
  accountOf,
  processorNamed,
} from "#features/cards/settings/card-accounts.ts";
import type { LockedPayment } from "#features/cards/charge/locked-payment.ts";
import type { Captured } from "#features/cards/processors/processor.ts";
import { referenceOf, type CardPaymentContext } from "#features/cards/card-payment-context.ts";

export interface RefundKey {
  networkId: number;
  id: number;
}

export interface RefundState {
  state: "requested" | "done" | "failed";
  problem: string | null;
}

/** A refund with the account and the charge to look up at its processor. */
export async function readRefund(context: CardPaymentContext, key: RefundKey) {
  const refund = await context.db
    .selectFrom("cardRefunds as r")
    .leftJoin("cardPayments as c", (join) =>
      join.onRef("c.networkId", "=", "r.networkId").onRef("c.paymentId", "=", "r.paymentId"),
    )
    .leftJoin("unappliedPayments as u", (join) =>
      join.onRef("u.networkId", "=", "r.networkId").onRef("u.id", "=", "r.unappliedPaymentId"),
    )
    .selectAll("r")
    .select(["c.reference as chargeReference", "c.cardLastFour", "c.createdAt as chargedAt"])
    .select(["u.reference as unappliedReference", "u.createdAt as foundAt"])
    .where("r.networkId", "=", key.networkId)
    .where("r.id", "=", key.id)
    .executeTakeFirstOrThrow();
  const captured: Captured = {
    transactionId: refund.transactionId,
    chargeReference: refund.chargeReference ?? refund.unappliedReference ?? "",
    amountCents: refund.amountCents,
    chargedAt: refund.chargedAt ?? refund.foundAt ?? refund.createdAt,
    lastFour: refund.cardLastFour ?? "",
    reference: refund.reference,
    requestedAt: refund.createdAt,
  };
  return { refund, captured, account: (): Promise<CardAccount> => accountOf(context, refund) };
}

/** The attorney whose charge is refunded. */
export async function attorneyOfRefund(
  tx: Db,
  refund: { networkId: number; paymentId: number | null; unappliedPaymentId: number | null },
): Promise<number> {
  const { rows } = await sql<{ attorneyId: number }>`
    select attorney_id from payments where network_id = ${refund.networkId} and id = ${refund.paymentId}
    union all
    select attorney_id from unapplied_payments
    where network_id = ${refund.networkId} and id = ${refund.unappliedPaymentId} limit 1`.execute(
    tx,
  );
  return rows[0]?.attorneyId ?? 0;
}

/** How many refunds of a charge have failed: each attempt has a reference of its own. */
export async function countFailedRefunds(
  tx: Db,
  charge: { networkId: number; processor: string; transactionId: string },
): Promise<number> {
  const { rows } = await sql<{ failed: number }>`
    select count(*) as failed from card_refunds
    where network_id = ${charge.networkId} and processor = ${charge.processor}
      and transaction_id = ${charge.transactionId} and state = 'failed'`.execute(tx);
  return rows[0]?.failed ?? 0;
}

/** What of a charge was not posted to any debit, and goes back with the payment. */
export async function unappliedAmountOf(
  tx: Db,
  networkId: number,
  paymentId: number,
): Promise<Cents> {
  const left = await tx
    .selectFrom("unappliedPayments")
    .select("amountCents")
    .where("networkId", "=", networkId)
    .where("paymentId", "=", paymentId)
    .executeTakeFirst();
  return left?.amountCents ?? cents(0);
}

/** When an accepted refund is first looked up; null where accepted refunds never fail. */
export function firstCheckAt(context: CardPaymentContext, processor: string): string | null {
  const mayFail = processorNamed(processor).refundsMayFail !== undefined;
  return mayFail ? context.now().add({ hours: 24 }).toString() : null;
}

/** A refund made in the processor's own pages is recorded as ours are: it too may fail later. */
export async function insertForeignRefund(
  tx: Db,
  context: CardPaymentContext,
  payment: LockedPayment,
  how: "voided" | "refunded",
): Promise<void> {
  const { networkId, processor, paymentId } = payment;
  const transactionId = payment.transactionId ?? "";
  const failed = await countFailedRefunds(tx, { networkId, processor, transactionId });
  const left = await unappliedAmountOf(tx, networkId, paymentId);
  await tx
    .insertInto("cardRefunds")
    .values({
      networkId,
      processor,
      cardProcessorId: payment.cardProcessorId,
      transactionId,
      paymentId,
      unappliedPaymentId: null,
      reference: referenceOf(networkId, processor, transactionId, "refund elsewhere", failed),
      amountCents: cents(payment.amountCents + left),
      reason: "Given back in the processor's own pages",
      requestedBy: null,
      requestedByName: processorNamed(processor).label,
      state: "done",
      kind: how,
      settledAt: sql<string>`now()`,
      followAt: how === "refunded" ? firstCheckAt(context, processor) : null,
    })
    // One of ours under way is the one that was found.
    .onConflict((conflict) => conflict.doNothing())
    .execute();
}
