import {
  type Cents,
  cents,
  centsFromDollars,
  cleanAmount,
  dollarsText,
  runningTotal,
} from "#kit/domain/money.ts";
import type { DebitOfAttorney } from "#dues/ledger/contract.ts";
import { payableOf, type PaymentAmounts } from "#dues/ledger/typed-amounts.tsx";

/** The typed amounts: `shares` by debit id, `credits` by attorney id. */
export interface Parts {
  shares: PaymentAmounts;
  credits: PaymentAmounts;
}

export const noAllocation: Parts = { shares: {}, credits: {} };

/** Place an amount on debits in the given order, up to what can be paid on each now. */
export function oldestFirst(debits: readonly DebitOfAttorney[], amount: Cents): Parts {
  const shares: Record<number, string> = {};
  let left: number = amount;
  for (const debit of debits) {
    const part = cents(Math.min(left, payableOf(debit)));
    if (part > 0) shares[debit.id] = dollarsText(part);
    left -= part;
  }
  return { shares, credits: {} };
}

/** Amount left to place: negative if the parts exceed the check, null if the amount is not a number. */
export function unallocatedAmount(
  typedAmount: string,
  debits: readonly DebitOfAttorney[],
  { shares, credits }: Parts,
): Cents | null {
  const amount = centsFromDollars(cleanAmount(typedAmount));
  if (amount === null) return null;
  const placed = runningTotal([
    ...debits.map(({ id }) => shares[id] ?? ""), // a debit no longer listed cannot be paid
    ...Object.values(credits),
  ]);
  return cents(amount - placed);
}

/** The suggested attorney for the rest of a firm's check as credit: the one it pays most for, else the first. */
export function likelyOwner(
  debits: readonly DebitOfAttorney[],
  { shares }: Parts,
  attorneys: readonly { id: number }[],
): number | null {
  const paid = new Map<number, number>();
  for (const { id, attorneyId } of debits)
    paid.set(attorneyId, (paid.get(attorneyId) ?? 0) + runningTotal([shares[id] ?? ""]));
  const [most] = [...paid].toSorted(([, one], [, other]) => other - one);
  return most && most[1] > 0 ? most[0] : (attorneys[0]?.id ?? null);
}
