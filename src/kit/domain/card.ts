import type { Day } from "#kit/domain/day.ts";

/*
 * The fields of a card form, their masks and their validation, in the form's order. Source: spec §2 "Card form",
 * §4, §5, §8.
 */

export const cardFields = ["cardNumber", "cardCode", "expDate"] as const;
export type CardField = (typeof cardFields)[number];

/** As typed: the number in groups of four, the expiry as MM/YY. */
export type Card = Record<CardField, string>;

export const emptyCard: Card = { cardNumber: "", cardCode: "", expDate: "" };

export const cardLabels: Record<CardField, string> = {
  cardNumber: "Card number",
  cardCode: "Card code",
  expDate: "Expiration",
};

export const cardMessages: Record<CardField, string> = {
  cardNumber: "Card number is not valid",
  cardCode: "Card code is not valid",
  expDate: "Expiration date is not valid",
};

export type CardBrand = "visa" | "mastercard" | "amex" | "diners" | "discover" | "jcb";

interface CardNumberRange {
  brand: CardBrand;
  /** The first digits are between these two, both included and equally long. */
  from: string;
  to: string;
  /** The possible numbers of digits, shortest first. */
  lengths: readonly number[];
}

const withPrefix = (brand: CardBrand, digits: string, ...lengths: number[]): CardNumberRange => ({
  brand,
  from: digits,
  to: digits,
  lengths,
});

const cardNumberRanges: readonly CardNumberRange[] = [
  withPrefix("visa", "4", 13, 16),
  { brand: "mastercard", from: "51", to: "55", lengths: [16] },
  { brand: "mastercard", from: "2221", to: "2720", lengths: [16] },
  withPrefix("amex", "34", 15),
  withPrefix("amex", "37", 15),
  { brand: "diners", from: "300", to: "305", lengths: [14] },
  withPrefix("diners", "36", 14),
  withPrefix("diners", "38", 14),
  withPrefix("discover", "6011", 16),
  withPrefix("discover", "65", 16),
  withPrefix("jcb", "2131", 15),
  withPrefix("jcb", "1800", 15),
  withPrefix("jcb", "35", 16),
];

/** The major brand of a complete card number, or null. Spaces do not count. */
export function cardBrand(cardNumber: string): CardBrand | null {
  const digits = cardNumber.replaceAll(" ", "");
  if (!/^\d+$/.test(digits)) return null;
  const found = cardNumberRanges.find(
    (series) => series.lengths.includes(digits.length) && isInRange(series, digits),
  );
  return found?.brand ?? null;
}

/** Whether the digits typed so far are within a range. */
function isInRange({ from, to }: CardNumberRange, digits: string): boolean {
  const known = Math.min(from.length, digits.length);
  const first = digits.slice(0, known);
  return from.slice(0, known) <= first && first <= to.slice(0, known);
}

/** Whether a field is valid on a day. A card can be charged until its expiration month ends. */
export function isCardFieldValid(field: CardField, typed: string, today: Day): boolean {
  if (field === "cardNumber") return cardBrand(typed) !== null;
  if (field === "cardCode") return /^\d{3,4}$/.test(typed);
  return wholeExpiry.test(typed) && !isPast(typed, today);
}

const wholeExpiry = /^(0[1-9]|1[0-2])\/\d{2}$/;

const isPast = (expiry: string, today: Day): boolean =>
  `20${expiry.slice(3)}-${expiry.slice(0, 2)}` < today.slice(0, 7);

/** Whether more typing could make it valid, so that no error is shown in the middle of a number. */
export function canBecomeValid(field: CardField, typed: string, today: Day): boolean {
  if (field === "expDate" && wholeExpiry.test(typed)) return !isPast(typed, today);
  if (field === "cardNumber") {
    const digits = typed.replaceAll(" ", "");
    return cardNumberRanges.some(
      (series) => digits.length <= Math.max(...series.lengths) && isInRange(series, digits),
    );
  }
  if (field === "cardCode") return /^\d{0,4}$/.test(typed);
  return /^(0?|1|(0[1-9]|1[0-2])(\/\d{0,2})?)$/.test(typed);
}

/** The input mask of a field: keeps valid characters and adds the spaces or the slash. */
export function maskCardField(field: CardField, typed: string): string {
  if (field === "expDate") return maskExpiry(typed);
  const digits = typed.replace(/\D/g, "");
  if (field === "cardCode") return digits.slice(0, 4);
  return digits
    .slice(0, 16)
    .replace(/(\d{4})(?=\d)/g, "$1 ")
    .trim();
}

/** `"5"` → `"05"`, `"127"` → `"12/7"`, `"1/27"` → `"01/27"`, and `"12/2027"`, as browsers fill it in, → `"12/27"`. */
function maskExpiry(typed: string): string {
  const digits = typed
    .replace(/^\D*([2-9]|1(?=\D*\/))/, "0$1")
    .replace(/\D/g, "")
    .replace(/^(\d{2})20(\d{2})$/, "$1$2");
  const month = digits.slice(0, 2);
  const year = digits.slice(2, 4);
  const hasSlash = year !== "" || (month.length === 2 && /\/\s*$/.test(typed));
  return hasSlash ? `${month}/${year}` : month;
}

/**
 * Whether a text contains a card number: 13 to 19 digits that pass the check digit, in one piece or in groups
 * separated by a space or a dash. Digits inside UUIDs and hexadecimal ids do not count.
 */
export function containsCardNumber(text: string): boolean {
  const runs = text.replaceAll(uuidOrHex, withoutUuid).match(/\d(?:[ -]?\d){12,}/g) ?? [];
  return runs.some((run) => groupsMakeCardNumber(run.split(/[ -]/)));
}

/** A UUID, or at least 32 hexadecimal digits in one piece. */
const uuidOrHex = /[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}|[\da-f]{32,}/gi;
const withoutUuid = (name: string) => (/[a-f]/i.test(name) ? "" : name);

/** Whether neighbouring groups of digits make up a card number. An expiry may follow it. */
function groupsMakeCardNumber(groups: string[]): boolean {
  return groups.some((_, first) => {
    let digits = "";
    return groups.slice(first, first + 19).some((group) => {
      digits += group;
      return digits.length >= 13 && digits.length <= 19 && passesLuhn(digits);
    });
  });
}

function passesLuhn(digits: string): boolean {
  const sum = Array.from(digits)
    .toReversed()
    .map((digit, place) => Number(digit) * (place % 2 === 0 ? 1 : 2))
    .reduce((total, value) => total + (value > 9 ? value - 9 : value), 0);
  return sum % 10 === 0;
}
