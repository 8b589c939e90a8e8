import { type Cents, cents } from "#domain/money.ts";

/** One receipt of credit, with what is left of it. */
export interface CreditReceipt {
  id: number;
  leftCents: Cents;
}

/**
 * Which receipts an amount is taken from, and how much of each: in the order in which they are given, the
 * oldest first. At most all that is left. Source: domain rules §10.
 */
export function takeFromCredit(
  receipts: readonly CreditReceipt[],
  amount: Cents,
): { creditId: number; amountCents: Cents }[] {
  const taken: { creditId: number; amountCents: Cents }[] = [];
  let missing: number = amount;
  for (const { id, leftCents } of receipts) {
    const part = Math.min(missing, leftCents);
    if (part > 0) taken.push({ creditId: id, amountCents: cents(part) });
    missing -= part;
  }
  return taken;
}
