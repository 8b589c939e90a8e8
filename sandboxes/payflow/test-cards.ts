import { isExpired, passesLuhn } from "../cards.ts";
import { isKnown } from "./results.ts";

const testCards = [
  "4111111111111111",
  "4012888888881881",
  "4222222222222",
  "5555555555554444",
  "5105105105105100",
  "2221000000000009",
  "2223000048400011",
  "2223016768739313",
  "378282246310005",
  "371449635398431",
  "378734493671000",
  "6011111111111117",
  "6011000990139424",
  "3530111333300000",
  "3566002020360505",
  "30569309025904",
];

/** Ours: verified like the others, then refused, held or left unclear when they are charged. */
const laterResults: Record<string, number> = {
  "4000000000000341": 12,
  "4000000000009995": 50,
  "4000000000000259": 126,
  "4000000000000127": 127,
  "4000000000003402": 402,
  "4000000000002404": 404,
};

/** A card's results: the verification's RESULT, and that of any later charge. */
export interface CardResult {
  verification: number;
  charge: number;
}

export function resultOfCard(
  number: string,
  expMonth: number,
  expYear: number,
  nowMs: number,
): CardResult {
  const both = (result: number) => ({ verification: result, charge: result });
  if (!/^\d{12,19}$/.test(number) || !passesLuhn(number) || /^0+$/.test(number)) return both(23);
  if (!(expMonth >= 1 && expMonth <= 12) || isExpired(expMonth, expYear, nowMs)) return both(24);
  const later = laterResults[number];
  if (later !== undefined) return { verification: 0, charge: later };
  return both(testCards.includes(number) ? 0 : 12); // other numbers fail
}

/**
 * The pilot's answer depends on the amount: up to $1,000 approved; from $1,001 to $2,000 RESULT is the
 * dollars above a thousand, if the processor has that RESULT; above that declined.
 */
export function resultOfAmount(amountCents: number): number {
  if (amountCents < 100_100) return 0;
  const above = amountCents / 100 - 1_000;
  if (above > 1_000) return 12;
  return Number.isInteger(above) && isKnown(above) ? above : 12;
}
