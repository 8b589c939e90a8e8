import { type Cents, cents } from "#kit/domain/money.ts";

/** One receipt of credit, with what is left of it. */
export interface CreditReceipt {
  id: number;
  leftCents: Cents;
}

/**
 * The receipts from which an amount is taken, and how much of each, in the given order, oldest first. At most what
 * is left. Source: domain rules §10.
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
 * As `takeFromCredit`, for several debits. They are paid in the given order, each at most what can be paid on it.
 * At most what is left and what can be paid.
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

/** What is left to pay of each amount after credit has paid them in order. */
export function leftAfterCredit(amounts: readonly Cents[], credit: Cents): Cents[] {
  let available: number = credit;
  return amounts.map((amount) => {
    const paid = Math.min(available, amount);
    available -= paid;
    return cents(amount - paid);
  });
}
