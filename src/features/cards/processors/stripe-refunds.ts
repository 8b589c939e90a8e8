import { Stripe } from "stripe";
import type { Account, Captured, RefundOutcome } from "#features/cards/processors/processor.ts";
import { stripeClient } from "#features/cards/processors/stripe-client.ts";
import { hasNotFailed } from "#features/cards/processors/stripe-events.ts";
import { sentence } from "#features/cards/processors/wording.ts";

/*
 * Stripe's refunds. One that was accepted may fail days later: the money is with the network again.
 */

/**
 * Stripe has no void for a captured card payment: it is refunded, before settlement too. An answer of
 * 500 is kept under its idempotency key for ever, so what was done before is looked up instead;
 * Stripe itself refuses to refund a charge twice.
 */
export async function voidOrRefund(account: Account, captured: Captured): Promise<RefundOutcome> {
  const stripeApi = stripeClient(account);
  try {
    const { transactionId: payment_intent, reference } = captured;
    const before = await stripeApi.refunds.list({ payment_intent, limit: 100 });
    const known = before.data.find((refund) => refund.metadata?.["reference"] === reference);
    return stateOf(
      known ??
        (await stripeApi.refunds.create({
          payment_intent,
          reason: "requested_by_customer",
          metadata: { reference },
        })),
    );
  } catch (problem) {
    return refusedRefund(problem);
  }
}

function stateOf({ id, status }: Stripe.Refund): RefundOutcome {
  if (status === "succeeded" || status === "pending")
    return { kind: "done", how: "refunded", processorId: id };
  return { kind: "refused", message: `Stripe did not refund the payment: ${status}.` };
}

function refusedRefund(problem: unknown): RefundOutcome {
  const isRefused = problem instanceof Stripe.errors.StripeInvalidRequestError;
  if (isRefused && problem.code === "charge_already_refunded")
    return { kind: "done", how: "refunded" };
  if (isRefused)
    return {
      kind: "refused",
      message: `Stripe refused the refund: ${sentence(problem.message, "")}`,
    };
  const says = sentence(problem instanceof Error ? problem.message : "", "Stripe did not answer.");
  return { kind: "unknown", problem: says };
}

/** The list shows the state of each refund, those made in Stripe's own pages included. */
export async function whyRefundFailed(
  account: Account,
  captured: Captured,
): Promise<string | null> {
  const { data: refunds } = await stripeClient(account).refunds.list({
    payment_intent: captured.transactionId,
    limit: 100,
  });
  const [standing, failed] = [
    refunds.filter(hasNotFailed),
    refunds.filter((each) => !hasNotFailed(each)),
  ];
  const given = standing.reduce((sum, { amount }) => sum + amount, 0);
  if (given >= captured.amountCents || failed.length === 0) return null;
  return (
    failureSentences[failed[0]?.failure_reason ?? ""] ?? "Stripe could not carry out the refund."
  );
}

const failureSentences: Record<string, string> = {
  lost_or_stolen_card: "The card was reported lost or stolen.",
  expired_or_canceled_card: "The card has expired or was cancelled.",
  insufficient_funds: "The network's Stripe balance did not cover the refund.",
  declined: "The card's bank refused the refund.",
  charge_for_pending_refund_disputed: "The charge is disputed.",
  merchant_request: "The refund was cancelled at Stripe.",
};
