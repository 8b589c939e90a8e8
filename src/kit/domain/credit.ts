import { type Cents, cents } from "#kit/domain/money.ts";

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

/**
 * The same for several debits, which are paid in the order in which they are given, each at most what can be paid
 * on it. At most all that is left and all that can be paid.
 */
export function spreadCredit(
  receipts: readonly CreditReceipt[],
  debits: readonly { id: number; payableCents: Cents }[],
  amount: Cents,
): { creditId: number; debitId: number; amountCents: Cents }[] {
  const left = new Map(receipts.map(({ id, leftCents }) => [id, leftCents]));
  let missing: number = amount;
  return debits.flatMap(({ id: debitId, payableCents }) => {
    const wanted = cents(Math.min(missing, payableCents));
    const now = [...left].map(([id, leftCents]) => ({ id, leftCents }));
    const taken = takeFromCredit(now, wanted);
    for (const { creditId, amountCents } of taken) {
      left.set(creditId, cents((left.get(creditId) ?? 0) - amountCents));
      missing -= amountCents;
    }
    return taken.map((part) => ({ ...part, debitId }));
  });
}

/** What of each amount is left to pay once credit has paid them in their order, as far as it goes. */
export function leftAfterCredit(amounts: readonly Cents[], credit: Cents): Cents[] {
  let available: number = credit;
  return amounts.map((amount) => {
    const paid = Math.min(available, amount);
    available -= paid;
    return cents(amount - paid);
  });
}
