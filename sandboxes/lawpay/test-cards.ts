import { isExpired, passesLuhn } from "../cards.ts";

/** The authorisation's outcome for a card. Source: "Testing tips", see processors/lawpay.md §4. */
export interface CardOutcome {
  code?: string;
  facility?: "gateway" | "payment_processor";
  context?: string;
  cvv: string;
  avs: string;
  /** The processor has not answered yet; ours, there is no such test number. */
  isPending?: boolean;
  /** Only half of the amount is approved; also ours, LawPay has no partial approvals. */
  isPartial?: boolean;
}

const fine: CardOutcome = { cvv: "MATCHED", avs: "ADDRESS_AND_POSTAL_CODE" };
const declined = (code: string): CardOutcome => ({ ...fine, code, facility: "payment_processor" });
const wrong = (code: string, context: string): CardOutcome => ({
  ...fine,
  code,
  context,
  facility: "gateway",
});

const byNumber: Record<string, CardOutcome> = {
  "4000000000000002": declined("card_declined"),
  "4000000000000044": declined("card_declined_insufficient_funds"),
  "4000000000000051": declined("card_declined_limit_exceeded"),
  "4000000000000069": wrong("card_expired", "method.exp_month"),
  "4000000000000119": declined("card_declined_processing_error"),
  "4000000000000127": declined("card_declined_hold"),
  "4000000000000135": declined("card_type_not_accepted"),
  "4000000000000077": { ...fine, cvv: "UNAVAILABLE" },
  "4000000000000101": { ...fine, cvv: "NOT_MATCHED" }, // the demo account's policy requires no match
  "4000000000009995": declined("card_declined_insufficient_funds"), // ours, like the next two
  "4000000000000259": { ...fine, isPending: true },
  "4000000000001240": { ...fine, isPartial: true },
};

/**
 * Anything becomes a token. A card is judged when it is charged, but the result is worked out now, before
 * its number is forgotten.
 */
export function outcomeOf(
  number: string,
  expMonth: number,
  expYear: number,
  nowMs: number,
): CardOutcome {
  if (!passesLuhn(number) || !/^\d{13,19}$/.test(number)) {
    return wrong("card_number_invalid", "method.number");
  }
  if (!(expMonth >= 1 && expMonth <= 12)) return wrong("invalid_data", "method.exp_month");
  if (isExpired(expMonth, expYear, nowMs)) return wrong("card_expired", "method.exp_month");
  return byNumber[number] ?? fine;
}
