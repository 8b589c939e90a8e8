import { type Card, cardOf, fullYear, isExpired, passesLuhn } from "../cards.ts";
import { at, textAt, type Json } from "../json.ts";
import { badParameter, badState, missing, noSuch, StripeError } from "./errors.ts";
import { requiredParam, type StripeRequest } from "./request.ts";
import { newId, type PaymentMethod, secondsNow, type StripeStore } from "./store.ts";
import {
  type Behaviour,
  behaviourOf,
  type Decline,
  liveCardInTestMode,
  numberOfNamedCard,
} from "./test-cards.ts";

/** POST /v1/payment_methods, as sent by the browser's fields. */
export function createPaymentMethod(store: StripeStore, request: StripeRequest): object {
  if (requiredParam(request, "type") !== "card") {
    throw badParameter("type", "parameter_invalid", "This sandbox takes only cards.");
  }
  const fields = at(request.params, "card");
  if (fields === undefined) throw missing("card");
  const card = readCard(fields, store.context.clock.now());
  const behaviour = behaviourOf((textAt(fields, "number") ?? "").replaceAll(" ", ""));
  if (!behaviour) throw refusedCard(liveCardInTestMode);
  return insertPaymentMethod(store, request.account, card, behaviour).object;
}

/** `pm_…` from a browser, or one of Stripe's names for test cards: `pm_card_visa`. */
export function paymentMethodNamed(store: StripeStore, account: string, id: string): PaymentMethod {
  const number = numberOfNamedCard(id);
  if (number !== null) {
    const nextYear = new Date(store.context.clock.now()).getUTCFullYear() + 1;
    const card = cardOf(number, 12, nextYear);
    return insertPaymentMethod(store, account, card, behaviourOf(number) ?? {});
  }
  const found = store.paymentMethods.get(id);
  if (found?.account !== account) throw noSuch("PaymentMethod", id, "payment_method");
  if (found.isUsed) {
    throw badState(
      "The provided PaymentMethod was previously used with a PaymentIntent without Customer attachment, shared with a connected account without Customer attachment, or was detached from a Customer. It may not be used again. To use a PaymentMethod multiple times, you must attach it to a Customer first.",
      { param: "payment_method" },
    );
  }
  return found;
}

function readCard(fields: Json, nowMs: number): Card {
  const number = (textAt(fields, "number") ?? "").replaceAll(" ", "");
  if (number === "") throw missing("card[number]");
  const expMonth = Number(textAt(fields, "exp_month"));
  const expYear = fullYear(textAt(fields, "exp_year") ?? "");
  if (!passesLuhn(number)) {
    throw refusedCard({ code: "incorrect_number", message: "Your card number is incorrect." });
  }
  if (!(expMonth >= 1 && expMonth <= 12)) {
    const message = "Your card's expiration month is invalid.";
    throw refusedCard({ code: "invalid_expiry_month", message });
  }
  if (isExpired(expMonth, expYear, nowMs)) {
    const message = "Your card's expiration year is invalid.";
    throw refusedCard({ code: "invalid_expiry_year", message });
  }
  return cardOf(number, expMonth, expYear);
}

function refusedCard(decline: Decline): StripeError {
  return new StripeError(402, { type: "card_error", ...decline });
}

function insertPaymentMethod(
  store: StripeStore,
  account: string,
  card: Card,
  behaviour: Behaviour,
): PaymentMethod {
  const id = newId("pm");
  const { brand, last4, fingerprint, expMonth, expYear } = card;
  return store.paymentMethods.set(id, {
    account,
    card,
    behaviour,
    isUsed: false,
    object: {
      id,
      object: "payment_method",
      billing_details: { address: null, email: null, name: null, phone: null },
      card: {
        brand,
        country: "US",
        exp_month: expMonth,
        exp_year: expYear,
        fingerprint,
        funding: "credit",
        last4,
        three_d_secure_usage: { supported: true },
      },
      created: secondsNow(store),
      customer: null,
      livemode: false,
      metadata: {},
      type: "card",
    },
  });
}
