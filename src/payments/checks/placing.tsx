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

/** What stands in the fields of the parts: by debit id, and by the attorney whose credit it becomes. */
export interface Parts {
  shares: PaymentAmounts;
  credits: PaymentAmounts;
}

export const noParts: Parts = { shares: {}, credits: {} };

/** Place an amount on debits, the one that was due first before the others, as far as they can be paid now. */
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

/** The check less its parts: below zero where they come to more. Null while the amount is none. */
export function leftToPlace(
  typedAmount: string,
  debits: readonly DebitOfAttorney[],
  { shares, credits }: Parts,
): Cents | null {
  const amount = centsFromDollars(cleanAmount(typedAmount));
  if (amount === null) return null;
  const placed = runningTotal([
    ...debits.map(({ id }) => shares[id] ?? ""), // one that is not listed any more cannot be paid
    ...Object.values(credits),
  ]);
  return cents(amount - placed);
}

/** Whose credit the rest of a firm's check most likely is: who pays most by it, else the first. */
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
