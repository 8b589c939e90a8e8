import {
  type Books,
  type Charge,
  newId,
  type PaymentIntent,
  type PaymentMethod,
  secondsNow,
} from "./books.ts";
import type { Decline } from "./test-cards.ts";

/** Put an attempt on record: taken, reserved for a capture, or declined. */
export function keepCharge(
  books: Books,
  { account, object: intent }: PaymentIntent,
  method: PaymentMethod,
  decline: Decline | null,
  isManual: boolean,
  isAuthenticated: boolean,
): Charge {
  const id = newId("ch");
  const isTaken = !decline && !isManual;
  const object: Charge["object"] = {
    id,
    object: "charge",
    amount: intent.amount,
    amount_captured: isTaken ? intent.amount : 0,
    amount_refunded: 0,
    balance_transaction: isTaken ? newId("txn") : null,
    captured: isTaken,
    created: secondsNow(books),
    currency: intent.currency,
    customer: intent.customer,
    description: intent.description,
    disputed: false,
    failure_code: decline?.code ?? null,
    failure_message: decline?.message ?? null,
    livemode: false,
    metadata: intent.metadata,
    outcome: outcomeOf(decline, method.behaviour.isBlocked ?? false),
    paid: !decline,
    payment_intent: intent.id,
    payment_method: method.object.id,
    payment_method_details: { type: "card", card: chargedCard(method, isAuthenticated) },
    receipt_email: intent["receipt_email"] ?? null,
    refunded: false,
    status: decline ? "failed" : "succeeded",
  };
  const { last4 } = method.card;
  return books.charges.set(id, { account, last4, refund: method.behaviour.refund ?? null, object });
}

function chargedCard({ card, behaviour, isCvcGiven }: PaymentMethod, isAuthenticated: boolean) {
  const cvcCheck = behaviour.isCvcWrong ? "fail" : "pass";
  return {
    brand: card.brand,
    checks: {
      address_line1_check: null,
      address_postal_code_check: null,
      cvc_check: isCvcGiven ? cvcCheck : null,
    },
    country: "US",
    exp_month: card.expMonth,
    exp_year: card.expYear,
    fingerprint: card.fingerprint,
    funding: "credit",
    last4: card.last4,
    network: card.brand,
    three_d_secure: isAuthenticated
      ? { authentication_flow: "challenge", result: "authenticated", version: "2.2.0" }
      : null,
  };
}

function outcomeOf(decline: Decline | null, isBlocked: boolean) {
  if (!decline) {
    return {
      network_status: "approved_by_network",
      reason: null,
      risk_level: "normal",
      seller_message: "Payment complete.",
      type: "authorized",
    };
  }
  return {
    advice_code: decline.advice_code ?? null,
    network_status: isBlocked ? "not_sent_to_network" : "declined_by_network",
    reason: decline.decline_code ?? decline.code,
    risk_level: isBlocked ? "highest" : "normal",
    seller_message: "The bank did not return any further details with this decline.",
    type: isBlocked ? "blocked" : "issuer_declined",
  };
}
