import { type Cents, dollarsText, formatMoney } from "#kit/domain/money.ts";
import type { Admin } from "#kit/domain/actor.ts";
import { audit } from "#kit/db/audit.ts";
import type { Db } from "#kit/db/database.ts";
import { Answer } from "#kit/http/envelope.ts";
import type { RawJson } from "#kit/db/json-query.ts";
import { notFound, Refusal, refuseViolations } from "#kit/contract/refusal.ts";
import { inTransaction } from "#kit/db/transaction.ts";
import { showCard } from "#cards/card-lists.ts";
import type { CardPayment } from "#cards/shapes.ts";
import { carryOutRefund } from "#cards/refund/refund-job.ts";
import { countRefunds, type RefundState } from "#cards/refund/refund-record.ts";
import { referenceOf, type CardPaymentContext } from "#cards/card-payment-context.ts";

interface WantedRefund {
  reason: string;
  /** Everything still received, unless given. */
  amount?: Cents | undefined;
  /** The same for a repeated request with an Idempotency-Key; null without one. */
  effectId: string | null;
}

/** The refund that an earlier copy of this request began; a failed one is requested again. */
async function findEarlierRefund(
  tx: Db,
  admin: Admin,
  { effectId }: WantedRefund,
): Promise<number | null> {
  if (effectId === null) return null;
  const earlierRefund = await tx
    .selectFrom("cardRefunds")
    .select("id")
    .where("networkId", "=", admin.networkId)
    .where("effectId", "=", effectId)
    .where("state", "<>", "failed")
    .executeTakeFirst();
  return earlierRefund?.id ?? null;
}

/**
 * Void or refund a card payment, in whole or in part. Crash-safe like charging: insert the refund, call the
 * processor, then reopen the debits. Throws 404 if the network has no such card payment, 409 if it was not
 * charged or is already refunded, 422 with the processor's reason if it refuses. Answers 202 while the
 * outcome is unknown.
 */
export async function refundCardPayment(
  context: CardPaymentContext,
  admin: Admin,
  paymentId: number,
  wanted: WantedRefund,
): Promise<Answer<RawJson<CardPayment>>> {
  const refund = await inTransaction(context.db, async (tx) => {
    const payment = await tx
      .selectFrom("cardPayments as c")
      .innerJoin("payments as p", (join) =>
        join.onRef("p.networkId", "=", "c.networkId").onRef("p.id", "=", "c.paymentId"),
      )
      .selectAll("c")
      .select("p.amountCents")
      .where("c.networkId", "=", admin.networkId)
      .where("c.paymentId", "=", paymentId)
      .forUpdate("c")
      .executeTakeFirst();
    if (!payment) throw notFound("card payment");
    const earlierRefund = await findEarlierRefund(tx, admin, wanted);
    if (earlierRefund !== null) return { id: earlierRefund, isFirst: false };
    const { transactionId, receivedCents } = payment;
    if (payment.state !== "captured" || transactionId === null)
      throw new Refusal(409, whyNotRefundable[payment.state] ?? "");
    if (wanted.amount !== undefined && wanted.amount > receivedCents)
      throw new Refusal(409, moreThanReceived(receivedCents), {
        errors: [{ path: "amount", message: moreThanReceived(receivedCents) }],
      });
    const charge = { ...payment, transactionId, amountCents: wanted.amount ?? receivedCents };
    return { id: await insertRefund(tx, context, admin, charge, wanted), isFirst: true };
  });
  const key = { networkId: admin.networkId, id: refund.id };
  const state = await carryOutRefund(context, key, admin, refund);
  return answerFor(state, await showCard(context.db, admin, paymentId));
}

const moreThanReceived = (receivedCents: Cents) =>
  `At most ${formatMoney(receivedCents)} can be refunded: that is what is left of this payment.`;

const whyNotRefundable: Record<string, string> = {
  processing: "This payment is still being confirmed. Refund it once it is paid.",
  declined: "This payment was declined. Nothing was charged, so nothing can be refunded.",
  refunded: "This payment has already been refunded.",
  failed: "The card processor could not collect this payment, so there is nothing to refund.",
  charged_back: "The payer's bank charged this payment back, so there is nothing to refund.",
};

interface ChargeToReturn {
  networkId: number;
  processor: string;
  cardProcessorId: number;
  transactionId: string;
  amountCents: Cents;
  paymentId: number;
}

/** Insert the refund before calling the processor; a charge has one open refund at a time. Answers its id. */
async function insertRefund(
  tx: Db,
  context: CardPaymentContext,
  admin: Admin,
  charge: ChargeToReturn,
  { reason, effectId }: WantedRefund,
): Promise<number> {
  const { networkId, processor, transactionId, paymentId } = charge;
  const earlierRefunds = await countRefunds(tx, charge);
  const written = tx
    .insertInto("cardRefunds")
    .values({
      networkId,
      processor,
      cardProcessorId: charge.cardProcessorId,
      transactionId,
      paymentId,
      reference: referenceOf(networkId, processor, transactionId, "refund", earlierRefunds),
      amountCents: charge.amountCents,
      reason,
      effectId,
      requestedBy: admin.userId,
      requestedByName: admin.name,
      nextLookAt: context.now().add({ seconds: 60 }).toString(),
    })
    .returning("id")
    .executeTakeFirstOrThrow();
  const { id } = await refuseViolations(
    {
      card_refunds_under_way: alreadyBeingRefunded,
      card_refunds_network_id_reference_key: alreadyBeingRefunded,
    },
    written,
  );
  await audit(tx, admin, {
    action: "asked for refund",
    recordType: "payment",
    recordId: paymentId,
    after: { amount: dollarsText(charge.amountCents), reason },
  });
  return id;
}

const alreadyBeingRefunded = () => new Refusal(409, "This payment is already being refunded.");

function answerFor<Shown>(refund: RefundState, shown: RawJson<Shown>): Answer<RawJson<Shown>> {
  if (refund.state === "failed")
    throw new Refusal(422, refund.problem ?? "The card processor refused the refund.");
  if (refund.state === "done") return new Answer(shown, 200);
  return new Answer(
    shown,
    202,
    "The refund is being confirmed with the card processor. The balance reopens once it is confirmed.",
  );
}
