import { at } from "../tree.ts";
import { type Asked, truth, wanted } from "./asked.ts";
import { type Books, newId, type PaymentIntent, type PaymentMethod } from "./books.ts";
import { keepCharge } from "./charges.ts";
import { startDispute, warnOfFraud } from "./disputes.ts";
import { announce, type Cause, type Herald } from "./events.ts";
import { badParameter, StripeRefusal } from "./refusals.ts";
import type { Decline } from "./test-cards.ts";

export type Intent = PaymentIntent["object"];

/** Replace the intent's object with a changed one. */
export function changed(
  books: Books,
  intent: PaymentIntent,
  changes: Partial<Intent>,
): PaymentIntent {
  const object = { ...intent.object, ...changes };
  return books.intents.set(object.id, { ...intent, object });
}

export function causeOf({ requestId, idempotencyKey }: Asked): Cause {
  return { requestId, idempotencyKey };
}

/**
 * Try to take the money. Throws a StripeRefusal (402) when the issuer declines; the attempt is then on record.
 * Answers with the intent: succeeded, waiting for its capture, or waiting for the payer's challenge.
 */
export function confirm(
  herald: Herald,
  asked: Asked,
  intent: PaymentIntent,
  method: PaymentMethod,
): PaymentIntent {
  const { books } = herald;
  const refersTo = { payment_method: method.object.id, last_payment_error: null };
  const { behaviour } = method;
  if (behaviour.isChallengeBroken) {
    const started = changed(books, intent, refersTo);
    throw failed(herald, started, method, authenticationFailure, causeOf(asked));
  }
  if (behaviour.isChallenged) {
    if (truth(wanted(asked, "error_on_requires_action"))) {
      const started = changed(books, intent, refersTo);
      throw failed(herald, started, method, authenticationRequired, causeOf(asked));
    }
    const waiting = changed(books, intent, {
      ...refersTo,
      status: "requires_action",
      next_action: nextAction(asked, intent),
    });
    announce(
      herald,
      intent.account,
      "payment_intent.requires_action",
      waiting.object,
      causeOf(asked),
    );
    return waiting;
  }
  return authorise(herald, changed(books, intent, refersTo), method, causeOf(asked), false);
}

const authenticationFailure: Decline = {
  code: "payment_intent_authentication_failure",
  message:
    "The provided PaymentMethod has failed authentication. You can provide payment_method_data or a new PaymentMethod to attempt to fulfill this PaymentIntent again.",
};

const authenticationRequired: Decline = {
  code: "authentication_required",
  decline_code: "authentication_required",
  message: "Your card was declined. This transaction requires authentication.",
};

function nextAction(asked: Asked, { object }: PaymentIntent): object {
  if (asked.isPublishable || truth(wanted(asked, "use_stripe_sdk"))) {
    return {
      type: "use_stripe_sdk",
      use_stripe_sdk: { type: "three_d_secure_redirect", source: newId("src") },
    };
  }
  const returnUrl = wanted(asked, "return_url") ?? "";
  const url = new URL("/stripe/challenge", asked.origin);
  url.searchParams.set("client_secret", object.client_secret);
  url.searchParams.set("return_url", returnUrl);
  return { type: "redirect_to_url", redirect_to_url: { url: url.href, return_url: returnUrl } };
}

/** The payer has answered the challenge. Throws as `confirm` does; answers with the intent. */
export function finishChallenge(
  herald: Herald,
  intent: PaymentIntent,
  method: PaymentMethod,
  isPassed: boolean,
): PaymentIntent {
  const resumed = changed(herald.books, intent, { next_action: null });
  if (!isPassed) throw failed(herald, resumed, method, authenticationFailure, null);
  return authorise(herald, resumed, method, null, true);
}

function authorise(
  herald: Herald,
  intent: PaymentIntent,
  method: PaymentMethod,
  cause: Cause | null,
  isAuthenticated: boolean,
): PaymentIntent {
  const { books } = herald;
  const { account } = intent;
  const { behaviour } = method;
  if (behaviour.decline) throw failed(herald, intent, method, behaviour.decline, cause);
  const isManual = intent.object.capture_method === "manual";
  const charge = keepCharge(books, intent, method, null, isManual, isAuthenticated);
  books.paymentMethods.set(method.object.id, { ...method, isUsed: true });
  const done = changed(books, intent, {
    status: isManual ? "requires_capture" : "succeeded",
    latest_charge: charge.object.id,
    amount_received: isManual ? 0 : intent.object.amount,
    amount_capturable: isManual ? intent.object.amount : 0,
  });
  announce(herald, account, "charge.succeeded", charge.object, cause);
  if (isManual)
    announce(herald, account, "payment_intent.amount_capturable_updated", done.object, cause);
  else announce(herald, account, "payment_intent.succeeded", done.object, cause);
  if (behaviour.dispute) startDispute(herald, charge, behaviour.dispute);
  if (behaviour.isWarnedOf) warnOfFraud(herald, charge);
  return done;
}

/** Put the refused attempt on record; answers what to throw. */
function failed(
  herald: Herald,
  intent: PaymentIntent,
  method: PaymentMethod,
  decline: Decline,
  cause: Cause | null,
): StripeRefusal {
  const { books } = herald;
  const charge = keepCharge(books, intent, method, decline, false, false);
  const lastError = {
    type: "card_error" as const,
    charge: charge.object.id,
    doc_url: `https://docs.stripe.com/error-codes/${decline.code.replaceAll("_", "-")}`,
    ...decline,
  };
  const refused = changed(books, intent, {
    status: "requires_payment_method",
    latest_charge: charge.object.id,
    payment_method: null,
    next_action: null,
    last_payment_error: { ...lastError, payment_method: method.object },
  });
  announce(herald, intent.account, "charge.failed", charge.object, cause);
  announce(herald, intent.account, "payment_intent.payment_failed", refused.object, cause);
  return new StripeRefusal(402, {
    ...lastError,
    payment_intent: refused.object,
    payment_method: method.object,
  });
}

/**
 * A server that confirms must say where a payer who was led away comes back to.
 * Whether a list of only cards lifts this is not known, so this stand-in insists.
 */
export function refuseWithoutReturn(asked: Asked): void {
  const never = at(asked.params, "automatic_payment_methods", "allow_redirects") === "never";
  const isExcused =
    asked.isPublishable || never || truth(wanted(asked, "error_on_requires_action"));
  if (isExcused || wanted(asked, "return_url")) return;
  throw badParameter(
    "return_url",
    "parameter_missing",
    "This PaymentIntent is configured to accept payment methods that might redirect your customer off of your page. A `return_url` must be specified when confirming it.",
  );
}
