import type { Stripe } from "stripe";
import { Temporal } from "temporal-polyfill";
import { cents, negated } from "#kit/domain/money.ts";
import type { ChargeEvent } from "#cards/processors/charge-events.ts";

/* Events of a PaymentIntent since it succeeded, including those made in Stripe's own pages. */

/** The intent must have been read with its charge. */
export async function eventsSince(
  stripeApi: Stripe,
  intent: Stripe.PaymentIntent,
): Promise<ChargeEvent[]> {
  const charge = chargeOf(intent);
  const events: ChargeEvent[] = [];
  if (charge && charge.amount_refunded > 0) events.push(...(await refundsOf(stripeApi, intent.id)));
  if (charge?.disputed === true)
    for await (const dispute of stripeApi.disputes.list(listOf(intent.id)))
      events.push(...chargebackOf(dispute));
  return events;
}

/** The refunds of a PaymentIntent that have not failed. */
export async function refundsOf(stripeApi: Stripe, intentId: string): Promise<ChargeEvent[]> {
  const refunds: ChargeEvent[] = [];
  for await (const refund of stripeApi.refunds.list(listOf(intentId)))
    if (hasNotFailed(refund)) refunds.push(refundOf(refund));
  return refunds;
}

const listOf = (payment_intent: string) => ({ payment_intent, limit: 100 });

export function chargeOf(intent: Stripe.PaymentIntent): Stripe.Charge | null {
  return typeof intent.latest_charge === "object" ? intent.latest_charge : null;
}

export const hasNotFailed = ({ status }: Stripe.Refund) =>
  status !== "failed" && status !== "canceled";

const refundOf = ({ id, amount, created, metadata }: Stripe.Refund): ChargeEvent => ({
  kind: "refund",
  amountCents: cents(amount),
  on: instantOf(created),
  processorId: id,
  reference: metadata?.["reference"] ?? null,
});

/** Only money that Stripe withdrew or returned: an inquiry moves no money. Fees are not included. */
const chargebackOf = (dispute: Stripe.Dispute): ChargeEvent[] =>
  dispute.balance_transactions.map(({ id, amount, created }) => ({
    on: instantOf(created),
    reference: null,
    ...(amount < 0
      ? { kind: "chargeback", amountCents: negated(cents(amount)), processorId: dispute.id }
      : { kind: "chargeback_reversed", amountCents: cents(amount), processorId: id }),
  }));

const instantOf = (seconds: number) =>
  Temporal.Instant.fromEpochMilliseconds(seconds * 1000).toString();
