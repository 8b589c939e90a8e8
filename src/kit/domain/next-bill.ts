import type { Day } from "#kit/domain/day.ts";
import { type Cents, sum } from "#kit/domain/money.ts";

/** Of an attorney's subscription: when it is billed next, and what. */
interface Billed {
  nextBillingDate: Day | null;
  amount: Cents;
}

export interface NextBill {
  on: Day;
  amount: Cents;
}

/** What is billed on the first day on which anything is: all that falls on it. Null where nothing will be. */
export function nextBill(subscriptions: readonly Billed[]): NextBill | null {
  const days = subscriptions.flatMap(({ nextBillingDate }) => nextBillingDate ?? []);
  const [on] = days.toSorted();
  if (on === undefined) return null;
  const due = subscriptions.filter(({ nextBillingDate }) => nextBillingDate === on);
  return { on, amount: sum(due.map(({ amount }) => amount)) };
}
