/** What a test card does. Source: Stripe's testing page, as noted in processors/stripe.md §4. */
export interface Behaviour {
  /** Refused by the issuer, after a challenge if there is one. */
  decline?: Decline;
  /** The payer must pass a 3-D Secure challenge first. */
  isChallenged?: boolean;
  /** The challenge cannot even be shown. */
  isChallengeBroken?: boolean;
  isBlocked?: boolean;
  dispute?: "fraudulent" | "product_not_received" | "inquiry";
  /** An early fraud warning follows. */
  isWarnedOf?: boolean;
  refund?: "late" | "fails";
  isCvcWrong?: boolean;
}

export interface Decline {
  code: string;
  decline_code?: string;
  message: string;
  advice_code?: string;
}

const cardDeclined = (declineCode: string, message = "Your card was declined."): Decline => ({
  code: "card_declined",
  decline_code: declineCode,
  message,
  advice_code: "try_again_later",
});

const insufficientFunds = cardDeclined("insufficient_funds", "Your card has insufficient funds.");
const lost = { ...cardDeclined("lost_card"), advice_code: "do_not_try_again" };
const stolen = { ...cardDeclined("stolen_card"), advice_code: "do_not_try_again" };

const behaviours: Record<string, Behaviour> = {
  "4000000000000002": { decline: cardDeclined("generic_decline") },
  "4000000000009995": { decline: insufficientFunds },
  "4000000000009987": { decline: lost },
  "4000000000009979": { decline: stolen },
  "4000000000000069": { decline: { code: "expired_card", message: "Your card has expired." } },
  "4000000000000127": {
    decline: { code: "incorrect_cvc", message: "Your card's security code is incorrect." },
    isCvcWrong: true,
  },
  "4000000000000119": {
    decline: {
      code: "processing_error",
      message: "An error occurred while processing your card. Try again in a little bit.",
    },
  },
  "4000000000000341": { decline: cardDeclined("generic_decline") },
  "4000000000000101": { isCvcWrong: true },
  "4000000000003220": { isChallenged: true },
  "4000002760003184": { isChallenged: true },
  "4000002500003155": { isChallenged: true },
  "4000008400001629": { isChallenged: true, decline: cardDeclined("generic_decline") },
  "4000008260003178": { isChallenged: true, decline: insufficientFunds },
  "4000008400001280": { isChallengeBroken: true },
  "4000000000003055": {},
  "4000000000000259": { dispute: "fraudulent" },
  "4000000000002685": { dispute: "product_not_received" },
  "4000000000001976": { dispute: "inquiry" },
  "4000000000005423": { isWarnedOf: true },
  "4000000000000077": {},
  "4100000000000019": { decline: cardDeclined("fraudulent"), isBlocked: true },
  "4000000000007726": { refund: "late" },
  "4000000000005126": { refund: "fails" },
};

const plain = [
  "4242424242424242",
  "4000056655665556",
  "5555555555554444",
  "2223003122003222",
  "5200828282828210",
  "5105105105105100",
  "378282246310005",
  "371449635398431",
  "6011111111111117",
  "6011000990139424",
  "3056930009020004",
  "36227206271667",
  "3566002020360505",
  "6200000000000005",
];

/** Null for a card that is no test card: Stripe refuses those in test mode. */
export function behaviourOf(number: string): Behaviour | null {
  return behaviours[number] ?? (plain.includes(number) ? {} : null);
}

export const liveCardInTestMode: Decline = {
  code: "card_declined",
  decline_code: "test_mode_live_card",
  message:
    "Your card was declined. Your request was in test mode, but used a non test card. For a list of valid test cards, visit: https://docs.stripe.com/testing.",
};

/** Names that servers use in place of a number: `pm_card_visa`, `tok_visa`. */
const named: Record<string, string> = {
  visa: "4242424242424242",
  mastercard: "5555555555554444",
  amex: "378282246310005",
  discover: "6011111111111117",
  chargeDeclined: "4000000000000002",
  visa_chargeDeclined: "4000000000000002",
  visa_chargeDeclinedInsufficientFunds: "4000000000009995",
  chargeDeclinedInsufficientFunds: "4000000000009995",
  chargeDeclinedExpiredCard: "4000000000000069",
  chargeDeclinedIncorrectCvc: "4000000000000127",
  chargeDeclinedProcessingError: "4000000000000119",
  chargeCustomerFail: "4000000000000341",
  threeDSecure2Required: "4000000000003220",
  threeDSecureRequired: "4000000000003220",
  authenticationRequired: "4000002760003184",
  createDispute: "4000000000000259",
};

export function numberNamed(id: string): string | null {
  return named[id.replace(/^(pm_card_|tok_)/, "")] ?? null;
}
