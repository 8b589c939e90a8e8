import { type Day, formatDay } from "#kit/domain/day.ts";
import { type Cents, cents, formatMoney } from "#kit/domain/money.ts";

/** What credit stands beside the balance and, where something is owed, what is owed once it is used. */
export function creditSentence(of: { credit: Cents; asOf: Day; closing: Cents }): string {
  const { credit, asOf, closing } = of;
  const held = `Credit on ${formatDay(asOf)}: ${formatMoney(credit)}.`;
  if (closing <= 0)
    return `${held} It is kept for what falls due later, and is not part of the balance.`;
  const left = closing > credit ? formatMoney(cents(closing - credit)) : "nothing";
  return `${held} It is not part of the balance: after it, ${left} is owed.`;
}
