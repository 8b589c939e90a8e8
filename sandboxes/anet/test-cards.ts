import { type Card, isExpired, passesLuhn } from "../cards.ts";

/*
 * What a card, a code or a ZIP does. Those marked "ours" have no counterpart at Authorize.Net:
 * a payer types neither a ZIP nor an address on our form, so a newcomer could not see a decline.
 */

/** Outcome of the authorisation: response code, reason, and the text of the reason. */
export interface Verdict {
  responseCode: "1" | "2" | "3" | "4";
  reason: string;
  text: string;
}

export const approved: Verdict = {
  responseCode: "1",
  reason: "1",
  text: "This transaction has been approved.",
};
export const declined: Verdict = {
  responseCode: "2",
  reason: "2",
  text: "This transaction has been declined.",
};

const byNumber: Record<string, Verdict> = {
  "4000000000000002": declined, // ours, as are all of these
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
};

const byZip: Record<string, Verdict> = {
  "46282": declined,
  "46225": declined, // really an approval of a part, for requests that allow one
};

const avsByZip: Record<string, string> = {
  "46201": "A",
  "46203": "E",
  "46204": "G",
  "46205": "N",
  "46206": "P",
  "46207": "R",
  "46208": "S",
  "46209": "U",
  "46211": "W",
  "46214": "X",
  "46217": "Z",
};

const cvvByCode: Record<string, string> = {
  "900": "M",
  "901": "N",
  "902": "S",
  "903": "U",
  "904": "P",
};

/** Letters as the issuer would answer: of the card code, and of the ZIP of the billing address. */
export const cvvLetter = (cardCode: string | undefined) => cvvByCode[cardCode ?? ""] ?? "P";
export const avsLetter = (zip: string | undefined) => (zip ? (avsByZip[zip] ?? "Y") : "P");

function numberVerdict(number: string): Verdict {
  return byNumber[number] ?? approved;
}

/** The demo account's filters refuse a card code that does not match (N), as most merchants' do. */
export function verdictOn(numbers: Verdict, cvv: string, zip: string | undefined): Verdict {
  if (numbers.responseCode !== "1") return numbers;
  if (cvv === "N") return { ...declined, reason: "65" };
  return byZip[zip ?? ""] ?? approved;
}

/** What the authorisation will say of the card itself. */
export function cardVerdict(number: string, card: Card, nowMs: number): Verdict {
  if (!passesLuhn(number)) {
    return { responseCode: "3", reason: "6", text: "The credit card number is invalid." };
  }
  if (isExpired(card.expMonth, card.expYear, nowMs)) {
    return { responseCode: "3", reason: "8", text: "The credit card has expired." };
  }
  return numberVerdict(number);
}
