declare const brand: unique symbol;

/** Whole US cents. Only this file makes them, so `amount * 1.5` does not type-check as money. */
export type Cents = number & { readonly [brand]: true };

export const zero = 0 as Cents;

/** Smallest and largest amount of a plan, a payment or an adjustment. Source: domain rules §2. */
export const minAmount = 1 as Cents;
export const maxAmount = 100_000_000 as Cents;

const dollarsPattern = /^(-?)(\d{1,13})?(?:\.(\d{1,2}))?$/;

/**
 * Read dollars exactly as written: `"150"`, `"150.5"`, `"-0.01"`, `150.25`. Answers null for anything else,
 * including a third decimal: money is refused, never rounded.
 */
export function centsFromDollars(dollars: number | string): Cents | null {
  const match = dollarsPattern.exec(String(dollars).trim());
  if (!match) return null;
  const [, sign, whole, fraction] = match;
  if (whole === undefined && fraction === undefined) return null;
  const amount = Number(whole ?? "0") * 100 + Number((fraction ?? "0").padEnd(2, "0"));
  return (sign === "-" && amount !== 0 ? -amount : amount) as Cents;
}

/** Take a number that is already whole cents, such as one read from the database. */
export function cents(wholeCents: number): Cents {
  if (!Number.isSafeInteger(wholeCents)) throw new RangeError(`${wholeCents} is not whole cents.`);
  return wholeCents as Cents;
}

export function sum(amounts: Iterable<Cents>): Cents {
  let total = 0;
  for (const amount of amounts) total += amount;
  return cents(total);
}

export function negated(amount: Cents): Cents {
  return (amount === 0 ? 0 : -amount) as Cents;
}

/** Dollars as the API writes them: `"1234.50"`, `"-25.00"`. */
export function dollarsText(amount: Cents): string {
  const digits = String(Math.abs(amount)).padStart(3, "0");
  return `${amount < 0 ? "-" : ""}${digits.slice(0, -2)}.${digits.slice(-2)}`;
}

/** Dollars for people: `$1,234.50`, `-$25.00`. */
export function formatMoney(amount: Cents): string {
  const [whole = "0", fraction = "00"] = dollarsText(amount).replace("-", "").split(".");
  return `${amount < 0 ? "-" : ""}$${Number(whole).toLocaleString("en-US")}.${fraction}`;
}

/**
 * Add up what a person has typed so far, for a running total on screen. Text that is not an amount counts as 0.
 * Source: spec §4, "Total payment".
 */
export function runningTotal(typed: Iterable<string>): Cents {
  let total = 0;
  for (const text of typed) total += centsFromDollars(cleanAmount(text)) ?? 0;
  return cents(total);
}

/** Drop what people type around an amount: spaces, commas, a dollar sign. `" $1,250.5 "` → `"1250.5"`. */
export function cleanAmount(typed: string): string {
  return typed.replace(/[\s,$]/g, "");
}
