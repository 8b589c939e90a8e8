import { createHmac, randomBytes } from "node:crypto";

/** A card as the sandboxes store it: never its number or code. */
export interface Card {
  brand: Brand;
  first2: string;
  last4: string;
  /** Equal for the same number, until the sandboxes stop. */
  fingerprint: string;
  expMonth: number;
  expYear: number;
}

const salt = randomBytes(16);

export function cardOf(number: string, expMonth: number, expYear: number): Card {
  return {
    brand: brandOf(number),
    first2: number.slice(0, 2),
    last4: number.slice(-4),
    fingerprint: createHmac("sha256", salt).update(number).digest("base64url").slice(0, 16),
    expMonth,
    expYear,
  };
}

const brandPatterns = [
  ["visa", /^4/],
  ["mastercard", /^(5[1-5]|222[1-9]|22[3-9]|2[3-6]|27[01]|2720)/],
  ["amex", /^3[47]/],
  ["discover", /^(6011|65|64[4-9])/],
  ["diners", /^3(0[0-5]|[689])/],
  ["jcb", /^(35|2131|1800)/],
  ["unionpay", /^62/],
] as const;

export type Brand = (typeof brandPatterns)[number][0] | "unknown";

function brandOf(number: string): Brand {
  return brandPatterns.find(([, pattern]) => pattern.test(number))?.[0] ?? "unknown";
}

export function passesLuhn(number: string): boolean {
  let sum = 0;
  for (const [index, digit] of number.split("").toReversed().entries()) {
    const value = Number(digit) * (index % 2 === 1 ? 2 : 1);
    sum += value > 9 ? value - 9 : value;
  }
  return /^\d+$/.test(number) && sum % 10 === 0;
}

/** `"27"` and `"2027"` are the same year. */
export function fullYear(text: string): number {
  const year = Number(text);
  return text.length <= 2 ? 2000 + year : year;
}

/** A card is valid until the end of its month. `nowMs` in milliseconds since 1970. */
export function isExpired(expMonth: number, expYear: number, nowMs: number): boolean {
  return Date.UTC(expYear, expMonth, 1) <= nowMs;
}
