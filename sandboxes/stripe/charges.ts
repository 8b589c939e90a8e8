import {
  type Charge,
  newId,
  type PaymentIntent,
  type PaymentMethod,
  secondsNow,
  type StripeStore,
} from "./store.ts";
import type { Decline } from "./test-cards.ts";

/** Record an attempt: the money was taken, or the issuer declined. */
export function recordCharge(
  store: StripeStore,
  { account, object: intent }: PaymentIntent,
  method: PaymentMethod,
  decline: Decline | null,
): Charge {
  const id = newId("ch");
  const { card, behaviour } = method;
  const object: Charge["object"] = {
    id,
    object: "charge",
    amount: intent.amount,
    amount_captured: decline ? 0 : intent.amount,
    amount_refunded: 0,
    captured: !decline,
    created: secondsNow(store),
    currency: intent.currency,
    description: intent.description,
    disputed: false,
    failure_code: decline?.code ?? null,
    failure_message: decline?.message ?? null,
    livemode: false,
    metadata: intent.metadata,
    paid: !decline,
    payment_intent: intent.id,
    payment_method: method.object.id,
    payment_method_details: {
      type: "card",
      card: {
        brand: card.brand,
        exp_month: card.expMonth,
        exp_year: card.expYear,
        fingerprint: card.fingerprint,
        last4: card.last4,
      },
    },
    refunded: false,
    status: decline ? "failed" : "succeeded",
  };
  const { refund = null } = behaviour;
  return store.charges.set(id, { account, last4: card.last4, refund, object });
}
