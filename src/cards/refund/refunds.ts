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
  /** The whole rest unless given. */
  amount?: Cents | undefined;
  /** The same for a repeat of the request that has an Idempotency-Key; null without. */
  effectId: string | null;
}

/** The refund that the same request began when it was sent before; one that failed is asked for anew. */
async function refundBegunBefore(
  tx: Db,
  admin: Admin,
  { effectId }: WantedRefund,
): Promise<number | null> {
  if (effectId === null) return null;
  const begun = await tx
    .selectFrom("cardRefunds")
    .select("id")
    .where("networkId", "=", admin.networkId)
    .where("effectId", "=", effectId)
    .where("state", "<>", "failed")
    .executeTakeFirst();
  return begun?.id ?? null;
}

/**
 * Void or refund a card payment, whole or in part, crash-safe as charging is: the refund is inserted first, the
 * processor voids or refunds, and the debits are owed again. Throws 404 for no card
 * payment of the network, 409 when it is not one that was charged or has been refunded already,
 * 422 with the processor's reason when that refuses. Answers 202 while the outcome is not known.
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
    const begun = await refundBegunBefore(tx, admin, wanted);
    if (begun !== null) return { id: begun, isFirst: false };
    const { transactionId, receivedCents } = payment;
    if (payment.state !== "captured" || transactionId === null)
      throw new Refusal(409, whyNotNow[payment.state] ?? "");
    if (wanted.amount !== undefined && wanted.amount > receivedCents)
      throw new Refusal(409, moreThan(receivedCents), {
        errors: [{ path: "amount", message: moreThan(receivedCents) }],
      });
    const charge = { ...payment, transactionId, amountCents: wanted.amount ?? receivedCents };
    return { id: await insertRefund(tx, context, admin, charge, wanted), isFirst: true };
  });
  const key = { networkId: admin.networkId, id: refund.id };
  const state = await carryOutRefund(context, key, admin, refund);
  return answer(state, await showCard(context.db, admin, paymentId));
}

const moreThan = (receivedCents: Cents) =>
  `At most ${formatMoney(receivedCents)} can be refunded: that is what is left of this payment.`;

const whyNotNow: Record<string, string> = {
  processing: "This payment is still being confirmed: it can be refunded once it is paid.",
  declined: "This payment was declined: nothing was charged, so nothing can be refunded.",
  refunded: "This payment has already been refunded.",
  failed: "The card processor could not collect this payment: there is nothing to refund.",
  charged_back: "The payer's bank has charged this payment back: there is nothing to refund.",
};

interface ChargeToReturn {
  networkId: number;
  processor: string;
  cardProcessorId: number;
  transactionId: string;
  amountCents: Cents;
  paymentId: number;
}

/** Insert the refund before the processor is called: one at a time for a charge. Answers its id. */
async function insertRefund(
  tx: Db,
  context: CardPaymentContext,
  admin: Admin,
  charge: ChargeToReturn,
  { reason, effectId }: WantedRefund,
): Promise<number> {
  const { networkId, processor, transactionId, paymentId } = charge;
  const asked = await countRefunds(tx, charge);
  const written = tx
    .insertInto("cardRefunds")
    .values({
      networkId,
      processor,
      cardProcessorId: charge.cardProcessorId,
      transactionId,
      paymentId,
      reference: referenceOf(networkId, processor, transactionId, "refund", asked),
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
    { card_refunds_under_way: underWay, card_refunds_network_id_reference_key: underWay },
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

const underWay = () => new Refusal(409, "This payment is being refunded already.");

function answer<Shown>(refund: RefundState, shown: RawJson<Shown>): Answer<RawJson<Shown>> {
  if (refund.state === "failed")
    throw new Refusal(422, refund.problem ?? "The card processor refused the refund.");
  if (refund.state === "done") return new Answer(shown, 200);
  return new Answer(
    shown,
    202,
    "The refund is being confirmed with the card processor. The balance reopens once it is.",
  );
}
