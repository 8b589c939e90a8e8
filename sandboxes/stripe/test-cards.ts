/** A test card's behaviour. Source: Stripe's testing page, see processors/stripe.md §4. */
export interface Behaviour {
  /** Refused by the issuer, after a challenge if there is one. */
  decline?: Decline;
  isChallenged?: boolean;
  /** The challenge cannot even be shown. */
  isChallengeBroken?: boolean;
  refund?: "late" | "fails";
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
  },
  "4000000000000119": {
    decline: {
      code: "processing_error",
      message: "An error occurred while processing your card. Try again in a little bit.",
    },
  },
  "4000000000000341": { decline: cardDeclined("generic_decline") },
  "4000000000003220": { isChallenged: true },
  "4000002760003184": { isChallenged: true },
  "4000002500003155": { isChallenged: true },
  "4000008400001629": { isChallenged: true, decline: cardDeclined("generic_decline") },
  "4000008260003178": { isChallenged: true, decline: insufficientFunds },
  "4000008400001280": { isChallengeBroken: true },
  "4100000000000019": { decline: cardDeclined("fraudulent") },
  "4000000000007726": { refund: "late" },
  "4000000000005126": { refund: "fails" },
};

const approved = [
  "4242424242424242",
  "4000056655665556",
  "4000000000003055",
  "4000000000000077",
  "4000000000000101",
  "4000000000000259",
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

/** Null unless it is a test card: Stripe refuses other cards in test mode. */
export function behaviourOf(number: string): Behaviour | null {
  return behaviours[number] ?? (approved.includes(number) ? {} : null);
}

export const liveCardInTestMode: Decline = {
  code: "card_declined",
  decline_code: "test_mode_live_card",
  message:
    "Your card was declined. Your request was in test mode, but used a non test card. For a list of valid test cards, visit: https://docs.stripe.com/testing.",
};

/** Names that can be used instead of a payment method made in a browser. */
const namedCards: Record<string, string> = {
  pm_card_visa: "4242424242424242",
  pm_card_mastercard: "5555555555554444",
  pm_card_amex: "378282246310005",
  pm_card_discover: "6011111111111117",
  pm_card_visa_chargeDeclined: "4000000000000002",
  pm_card_chargeDeclined: "4000000000000002",
  pm_card_threeDSecure2Required: "4000000000003220",
};

export function numberOfNamedCard(id: string): string | null {
  return namedCards[id] ?? null;
}
