import { Stripe } from "stripe";
import type { Cents } from "#kit/domain/money.ts";
import type {
  Account,
  Captured,
  RefundOutcome,
  RefundRequest,
} from "#cards/processors/processor.ts";
import { refundRest } from "#cards/processors/refund-rest.ts";
import { stripeClient } from "#cards/processors/stripe-client.ts";
import { hasNotFailed, refundsOf } from "#cards/processors/stripe-events.ts";
import { sentence } from "#cards/processors/wording.ts";

/* Stripe's refunds. An accepted refund may fail days later: the money then returns to the network. */

/**
 * Stripe has no void for a captured card payment: it is refunded, even before settlement. Stripe keeps a
 * 500 answer forever under its idempotency key, so earlier refunds are looked up instead.
 */
export async function voidOrRefund(
  account: Account,
  request: RefundRequest,
): Promise<RefundOutcome> {
  const stripeApi = stripeClient(account);
  try {
    const made = request.wasAskedBefore ? await findRefund(stripeApi, request) : undefined;
    if (made) return stateOf(made);
    return await refundRest(
      request,
      (amountCents) => refund(stripeApi, request, amountCents),
      () => refundsOf(stripeApi, request.transactionId),
    );
  } catch (problem) {
    return refusedRefund(problem);
  }
}

async function refund(
  stripeApi: Stripe,
  { transactionId: payment_intent, reference }: Captured,
  amount: Cents,
): Promise<RefundOutcome> {
  try {
    const made = await stripeApi.refunds.create({
      payment_intent,
      amount,
      reason: "requested_by_customer",
      metadata: { reference },
    });
    return stateOf(made);
  } catch (problem) {
    return refusedRefund(problem);
  }
}

async function findRefund(
  stripeApi: Stripe,
  { transactionId: payment_intent, reference, processorId }: Captured,
): Promise<Stripe.Refund | undefined> {
  for await (const each of stripeApi.refunds.list({ payment_intent, limit: 100 }))
    if (each.id === processorId || each.metadata?.["reference"] === reference) return each;
  return undefined;
}

function stateOf({ id, status }: Stripe.Refund): RefundOutcome {
  if (status === "succeeded" || status === "pending")
    return { kind: "done", how: "refunded", processorId: id };
  return { kind: "refused", message: `Stripe did not refund the payment: ${status}.` };
}

function refusedRefund(problem: unknown): RefundOutcome {
  const says = sentence(problem instanceof Error ? problem.message : "", "Stripe did not answer.");
  if (!(problem instanceof Stripe.errors.StripeInvalidRequestError))
    return { kind: "unknown", problem: says };
  // Unconfirmed: that an amount above what is left has no code of its own.
  const exceedsRest = problem.code === "charge_already_refunded" || problem.param === "amount";
  return { kind: "refused", message: `Stripe refused the refund: ${says}`, exceedsRest };
}

/** Why a refund failed, including one made in Stripe's own pages; null while it has not. */
export async function whyRefundFailed(
  account: Account,
  captured: Captured,
): Promise<string | null> {
  const made = await findRefund(stripeClient(account), captured);
  if (!made || hasNotFailed(made)) return null;
  return failureSentences[made.failure_reason ?? ""] ?? "Stripe could not carry out the refund.";
}

const failureSentences: Record<string, string> = {
  lost_or_stolen_card: "The card was reported lost or stolen.",
  expired_or_canceled_card: "The card has expired or was canceled.",
  insufficient_funds: "The network's Stripe balance did not cover the refund.",
  declined: "The card's bank refused the refund.",
  charge_for_pending_refund_disputed: "The charge is disputed.",
  merchant_request: "The refund was canceled at Stripe.",
};
