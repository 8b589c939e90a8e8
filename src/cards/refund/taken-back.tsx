import { formatDay } from "#kit/domain/day.ts";
import { type Cents, cents, formatMoney } from "#kit/domain/money.ts";
import type { CardPayment } from "#cards/shapes.ts";

interface TakenBack {
  fromCredit: Cents;
  debits: { name: string; dueDate: string; amount: Cents }[];
}

/**
 * What an amount takes back of what a card payment brought: unused credit, what credit has paid, then the shares, the
 * newest first. Source: book rule 5, as `takeBack` does it (money-of-charge.ts).
 */
export function takenBackOf({ credit, shares }: CardPayment, amount: Cents): TakenBack {
  let left = amount;
  const take = (there: Cents): Cents => {
    const taken = cents(Math.min(left, there));
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

/** The same in sentences; none where nothing follows. */
export function takenBackWords(payment: CardPayment, amount: Cents): string {
  const { fromCredit, debits } = takenBackOf(payment, amount);
  const owed = debits.map(
    ({ name, dueDate, amount: again }) =>
      `${name}, due ${formatDay(dueDate)}, ${formatMoney(again)}`,
  );
  const sentences = [
    fromCredit > 0 && `${formatMoney(fromCredit)} comes off the credit of ${payment.attorneyName}.`,
    owed.length > 0 && `${payment.attorneyName} owes again: ${owed.join("; ")}.`,
  ];
  return sentences.filter((sentence) => sentence !== false).join(" ");
}
