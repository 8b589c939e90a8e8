import type { Day } from "#kit/domain/day.ts";
import { type Cents, sum } from "#kit/domain/money.ts";

/** When an attorney's subscription is next billed, and the amount. */
interface Billed {
  nextBillingDate: Day | null;
  amount: Cents;
}

export interface NextBill {
  on: Day;
  amount: Cents;
}

/** Everything billed on the next billing day. Null if nothing will be billed. */
export function nextBill(subscriptions: readonly Billed[]): NextBill | null {
  const days = subscriptions.flatMap(({ nextBillingDate }) => nextBillingDate ?? []);
  const [on] = days.toSorted();
  if (on === undefined) return null;
  const due = subscriptions.filter(({ nextBillingDate }) => nextBillingDate === on);
  return { on, amount: sum(due.map(({ amount }) => amount)) };
}
