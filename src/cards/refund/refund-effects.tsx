import { formatDay } from "#kit/domain/day.ts";
import { type Cents, cents, formatMoney } from "#kit/domain/money.ts";
import type { CardPayment } from "#cards/shapes.ts";

interface TakenBack {
  fromCredit: Cents;
  debits: { name: string; dueDate: string; amount: Cents }[];
}

/**
 * Where a refund comes from: unused credit, then debits paid by credit, then shares, newest first. Source:
 * book rule 5, in the order of `takeBack` (take-back.ts).
 */
export function refundEffects({ credit, shares }: CardPayment, amount: Cents): TakenBack {
  let left = amount;
  const take = (available: Cents): Cents => {
    const taken = cents(Math.min(left, available));
    left = cents(left - taken);
    return taken;
  };
  const takeEach = (debits: TakenBack["debits"]) =>
    debits
      .map((debit) => ({ ...debit, amount: take(debit.amount) }))
      .filter((debit) => debit.amount > 0);
  const fromCredit = take(credit.unused);
  const ofCredit = takeEach(credit.applied);
  const ofShares = takeEach(shares.map((share) => ({ ...share, amount: share.paid })).toReversed());
  return { fromCredit, debits: [...ofCredit, ...ofShares] };
}

/** The same as sentences; "" if nothing changes. */
export function refundEffectSentences(payment: CardPayment, amount: Cents): string {
  const { fromCredit, debits } = refundEffects(payment, amount);
  const owed = debits.map(
    ({ name, dueDate, amount: again }) =>
      `${name}, due ${formatDay(dueDate)}, ${formatMoney(again)}`,
  );
  const sentences = [
    fromCredit > 0 &&
      `${formatMoney(fromCredit)} is subtracted from ${payment.attorneyName}'s credit.`,
    owed.length > 0 && `${payment.attorneyName} owes again: ${owed.join("; ")}.`,
  ];
  return sentences.filter((sentence) => sentence !== false).join(" ");
}
