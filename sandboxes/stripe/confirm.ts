import { recordCharge } from "./charges.ts";
import { badState, noSuch, StripeError } from "./errors.ts";
import { sendEvent } from "./events.ts";
import type { StripeRequest } from "./request.ts";
import {
  type IntentObject,
  newId,
  type PaymentIntent,
  type PaymentMethod,
  type StripeStore,
} from "./store.ts";
import type { Decline } from "./test-cards.ts";

export function updateIntent(
  store: StripeStore,
  intent: PaymentIntent,
  changes: Partial<IntentObject>,
): PaymentIntent {
  const object = { ...intent.object, ...changes };
  return store.intents.set(object.id, { ...intent, object });
}

/**
 * Try to take the money. Throws a StripeError (402) if the issuer declines; the attempt is recorded.
 * Answers the intent: succeeded, or waiting for the payer's challenge.
 */
export function confirm(
  store: StripeStore,
  request: StripeRequest,
  intent: PaymentIntent,
  method: PaymentMethod,
): PaymentIntent {
  const { behaviour } = method;
  if (behaviour.isChallengeBroken) {
    throw declined(store, intent, method, authenticationFailure, request);
  }
  if (!behaviour.isChallenged) return authorise(store, intent, method, request);
  const source = newId("src");
  const waiting = updateIntent(store, intent, {
    status: "requires_action",
    next_action: {
      type: "use_stripe_sdk",
      use_stripe_sdk: { type: "three_d_secure_redirect", source },
    },
  });
  sendEvent(store, intent.account, "payment_intent.requires_action", waiting.object, request);
  return waiting;
}

const authenticationFailure: Decline = {
  code: "payment_intent_authentication_failure",
  message:
    "The provided PaymentMethod has failed authentication. You can provide payment_method_data or a new PaymentMethod to attempt to fulfill this PaymentIntent again.",
};

/** Called when the payer has answered the challenge on its page. Throws like `confirm`. */
export function finishChallenge(store: StripeStore, clientSecret: string, isPassed: boolean): void {
  const [id = ""] = clientSecret.split("_secret_");
  const intent = store.intents.get(id);
  if (intent?.object.client_secret !== clientSecret) throw noSuch("payment_intent", id);
  if (intent.object.status !== "requires_action") {
    throw unexpectedState(intent, "There is no challenge.");
  }
  const method = store.paymentMethods.get(intent.object.payment_method ?? "");
  if (!method) throw noSuch("PaymentMethod", String(intent.object.payment_method));
  const resumed = updateIntent(store, intent, { next_action: null });
  if (!isPassed) throw declined(store, resumed, method, authenticationFailure, null);
  authorise(store, resumed, method, null);
}

function authorise(
  store: StripeStore,
  intent: PaymentIntent,
  method: PaymentMethod,
  cause: StripeRequest | null,
): PaymentIntent {
  const { account } = intent;
  const { decline } = method.behaviour;
  if (decline) throw declined(store, intent, method, decline, cause);
  const charge = recordCharge(store, intent, method, null);
  store.paymentMethods.set(method.object.id, { ...method, isUsed: true });
  const done = updateIntent(store, intent, {
    status: "succeeded",
    latest_charge: charge.object.id,
    amount_received: intent.object.amount,
  });
  sendEvent(store, account, "charge.succeeded", charge.object, cause);
  sendEvent(store, account, "payment_intent.succeeded", done.object, cause);
  return done;
}

/** Record the refused attempt; answers the error to throw. */
function declined(
  store: StripeStore,
  intent: PaymentIntent,
  method: PaymentMethod,
  decline: Decline,
  cause: StripeRequest | null,
): StripeError {
  const { account } = intent;
  const charge = recordCharge(store, intent, method, decline);
  const problem = {
    type: "card_error" as const,
    charge: charge.object.id,
    doc_url: `https://docs.stripe.com/error-codes/${decline.code.replaceAll("_", "-")}`,
    ...decline,
    payment_method: method.object,
  };
  const { object } = updateIntent(store, intent, {
    status: "requires_payment_method",
    latest_charge: charge.object.id,
    payment_method: null,
    next_action: null,
    last_payment_error: problem,
  });
  sendEvent(store, account, "charge.failed", charge.object, cause);
  sendEvent(store, account, "payment_intent.payment_failed", object, cause);
  return new StripeError(402, { ...problem, payment_intent: object });
}

export function unexpectedState({ object }: PaymentIntent, message: string): StripeError {
  return badState(message, { code: "payment_intent_unexpected_state", payment_intent: object });
}
