import { type Day, formatDay } from "#kit/domain/day.ts";
import { type Cents, cents, formatMoney } from "#kit/domain/money.ts";

/** The credit beside the balance and, if something is owed, what is owed after using it. */
export function creditSentence(of: { credit: Cents; asOf: Day; closing: Cents }): string {
  const { credit, asOf, closing } = of;
  const held = `Credit on ${formatDay(asOf)}: ${formatMoney(credit)}.`;
  if (closing <= 0) return `${held} It will be used for later dues and is not part of the balance.`;
  const left = closing > credit ? formatMoney(cents(closing - credit)) : "nothing";
  return `${held} It is not part of the balance. After using it, ${left} is owed.`;
}
