import { sql } from "kysely";
import type { Cents } from "#kit/domain/money.ts";
import type { Db } from "#kit/db/database.ts";
import { type CardAccount, accountOf, processorNamed } from "#cards/settings/card-accounts.ts";
import type { LockedPayment } from "#cards/charge/locked-payment.ts";
import type { ChargeEvent } from "#cards/processors/charge-events.ts";
import type { RefundRequest } from "#cards/processors/processor.ts";
import { type CardPaymentContext, referenceOf } from "#cards/card-payment-context.ts";

export interface RefundKey {
  networkId: number;
  id: number;
}

export interface RefundState {
  state: "requested" | "done" | "failed";
  problem: string | null;
}

/** A refund, with the account and the charge to look up at the processor. */
export async function readRefund(context: CardPaymentContext, key: RefundKey) {
  const refund = await context.db
    .selectFrom("cardRefunds as r")
    .innerJoin("cardPayments as c", (join) =>
      join.onRef("c.networkId", "=", "r.networkId").onRef("c.paymentId", "=", "r.paymentId"),
    )
    .innerJoin("payments as p", (join) =>
      join.onRef("p.networkId", "=", "c.networkId").onRef("p.id", "=", "c.paymentId"),
    )
    .leftJoin("cardTransactions as t", (join) =>
      join.onRef("t.networkId", "=", "r.networkId").onRef("t.refundId", "=", "r.id"),
    )
    .selectAll("r")
    .select(["c.attorneyId", "c.reference as chargeReference", "c.cardLastFour", "c.receivedCents"])
    .select(["c.createdAt as chargedAt", "p.amountCents as chargedCents", "t.processorId"])
    .select(otherRefunds.as("otherRefunds"))
    .where("r.networkId", "=", key.networkId)
    .where("r.id", "=", key.id)
    .executeTakeFirstOrThrow();
  const captured: Omit<RefundRequest, "wasAskedBefore"> = {
    transactionId: refund.transactionId,
    chargeReference: refund.chargeReference,
    amountCents: refund.amountCents,
    chargedCents: refund.chargedCents,
    chargedAt: refund.chargedAt,
    lastFour: refund.cardLastFour,
    reference: refund.reference,
    requestedAt: refund.createdAt,
    processorId: refund.processorId,
    isRest: refund.amountCents >= refund.receivedCents,
    otherRefunds: refund.otherRefunds,
  };
  return { refund, captured, account: (): Promise<CardAccount> => accountOf(context, refund) };
}

/** The amounts of the payment's other refunds (not `r`), in cents. */
const otherRefunds = sql<Cents[]>`(
  select coalesce(json_agg(t.amount_cents), '[]') from card_transactions t
  where t.network_id = r.network_id and t.payment_id = r.payment_id and t.kind = 'refund'
    and t.refund_id is distinct from r.id)`;

/** The number of refunds requested for a payment: each has its own reference. */
export async function countRefunds(
  tx: Db,
  { networkId, paymentId }: { networkId: number; paymentId: number },
): Promise<number> {
  const { rows } = await sql<{ asked: number }>`
    select count(*) as asked from card_refunds
    where network_id = ${networkId} and payment_id = ${paymentId}`.execute(tx);
  return rows[0]?.asked ?? 0;
}

/**
 * When to look up an accepted refund for the first time; null if the processor's accepted refunds never
 * fail.
 */
export function firstCheckAt(context: CardPaymentContext, processor: string): string | null {
  const mayFail = processorNamed(processor).refundsMayFail !== undefined;
  return mayFail ? context.now().add({ hours: 24 }).toString() : null;
}

/** Finish our refund when it was found at the processor before the processor answered. */
export async function finishFoundRefund(
  tx: Db,
  context: CardPaymentContext,
  { networkId, processor, transactionId }: LockedPayment,
  { id, processorId }: { id: number; processorId: string },
): Promise<void> {
  await tx
    .updateTable("cardRefunds")
    .set(doneAs(processorId === transactionId ? "voided" : "refunded", context, processor))
    .where("networkId", "=", networkId)
    .where("id", "=", id)
    .execute();
}

/** The columns of a finished refund. A void moves no money, so it cannot fail later. */
export const doneAs = (
  kind: "voided" | "refunded",
  context: CardPaymentContext,
  processor: string,
) => ({
  state: "done" as const,
  kind,
  problem: null,
  followAt: kind === "refunded" ? firstCheckAt(context, processor) : null,
  nextLookAt: null,
  settledAt: sql<string>`now()`,
});

/** Record a refund made in the processor's own pages like our own: it may also fail later. Answers its id. */
export async function insertRefundFromProcessor(
  tx: Db,
  context: CardPaymentContext,
  payment: LockedPayment,
  { amountCents, processorId }: Pick<ChargeEvent, "amountCents" | "processorId">,
): Promise<number> {
  const { networkId, processor, paymentId } = payment;
  const transactionId = payment.transactionId ?? "";
  const isVoid = processorId === transactionId;
  const { id } = await tx
    .insertInto("cardRefunds")
    .values({
      networkId,
      processor,
      cardProcessorId: payment.cardProcessorId,
      transactionId,
      paymentId,
      reference: referenceOf(networkId, processor, transactionId, "refund elsewhere", processorId),
      amountCents,
      reason: "Refunded in the processor's own pages",
      requestedBy: null,
      requestedByName: processorNamed(processor).label,
      state: "done",
      kind: isVoid ? "voided" : "refunded",
      settledAt: sql<string>`now()`,
      followAt: isVoid ? null : firstCheckAt(context, processor),
    })
    .returning("id")
    .executeTakeFirstOrThrow();
  return id;
}
