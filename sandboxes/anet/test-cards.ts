import { type Cents, cents } from "#kit/domain/money.ts";
import { type Card, isExpired, passesLuhn } from "../cards.ts";

/*
 * The behaviour of each card, code or ZIP. Those marked "ours" do not exist at Authorize.Net: our form asks
 * for no ZIP or address, so nobody could see a decline.
 */

export interface CardOutcome {
  responseCode: "1" | "2" | "3" | "4";
  reason: string;
  text: string;
  /** For a prepaid card: its balance, which is all that its bank approves of a larger amount. */
  onCardCents?: Cents;
  /** Partly approved although the request forbids it. */
  ignoresTheRequest?: boolean;
}

export const approved: CardOutcome = {
  responseCode: "1",
  reason: "1",
  text: "This transaction has been approved.",
};
export const declined: CardOutcome = {
  responseCode: "2",
  reason: "2",
  text: "This transaction has been declined.",
};

/** Another card must pay the rest; until then the gateway settles nothing. */
const approvedInPart: CardOutcome = {
  responseCode: "4",
  reason: "295",
  text: "The amount of this request was only partially approved on the given prepaid card. Additional payments are required to complete the balance of this transaction.",
  onCardCents: cents(123),
};

const byNumber: Record<string, CardOutcome> = {
  "4000000000000002": declined, // ours, like all of these
  "4000000000009995": declined,
  "4000000000009979": { ...declined, reason: "4" }, // pick up the card
  "4000000000000069": { responseCode: "3", reason: "8", text: "The credit card has expired." },
  "4000000000000119": {
    responseCode: "3",
    reason: "19",
    text: "An error occurred during processing. Please try again.",
  },
  "4000000000000135": {
    responseCode: "3",
    reason: "17",
    text: "The merchant does not accept this type of credit card.",
  },
  "4000000000000259": {
    responseCode: "4",
    reason: "253",
    text: "Your order has been received. Thank you for your business!",
  },
  "4000000000001232": { ...approvedInPart, ignoresTheRequest: true },
  // Approved as if in full: nobody is expected to pay the rest.
  "4000000000001240": { ...approved, onCardCents: cents(123), ignoresTheRequest: true },
};

const byZip: Record<string, CardOutcome> = {
  "46282": declined,
  "46225": approvedInPart,
};

const cvvByCode: Record<string, string> = {
  "900": "M",
  "901": "N",
  "902": "S",
  "903": "U",
  "904": "P",
};

/** The issuer's letter for the card code. */
export const cvvLetter = (cardCode: string | undefined) => cvvByCode[cardCode ?? ""] ?? "P";

/**
 * The outcome for an amount. The demo account accepts partial approvals unless the request forbids them
 * (`allowPartialAuth`); then a card that does not cover the whole amount is declined.
 */
export function outcomeForAmount(
  outcome: CardOutcome,
  amountCents: Cents,
  allowPartialAuth: string | undefined,
): CardOutcome {
  if (outcome.onCardCents === undefined) return outcome;
  if (amountCents <= outcome.onCardCents) return approved;
  return allowPartialAuth === "false" && !outcome.ignoresTheRequest ? declined : outcome;
}

/** The demo account's filters refuse a wrong card code (N), like most merchants' filters. */
export function outcomeAfterFilters(
  cardOutcome: CardOutcome,
  cvv: string,
  zip: string | undefined,
): CardOutcome {
  if (cardOutcome.responseCode !== "1" || cardOutcome.onCardCents !== undefined) return cardOutcome;
  if (cvv === "N") return { ...declined, reason: "65" };
  return byZip[zip ?? ""] ?? approved;
}

/** The authorisation's outcome for the card itself. */
export function outcomeOfCard(number: string, card: Card, nowMs: number): CardOutcome {
  if (!passesLuhn(number)) {
    return { responseCode: "3", reason: "6", text: "The credit card number is invalid." };
  }
  if (isExpired(card.expMonth, card.expYear, nowMs)) {
    return { responseCode: "3", reason: "8", text: "The credit card has expired." };
  }
  return byNumber[number] ?? approved;
}
