import type { Day } from "#kit/domain/day.ts";

/** What an administrator types when enrolling one attorney or all of them. */
export interface TypedTerms {
  start_date: Day | null;
  bill_immediately: boolean;
  note: string;
}

export function defaultTerms(today: Day): TypedTerms {
  return { start_date: today, bill_immediately: false, note: "" };
}

/** Whether "Bill immediately" is offered: only when the start date is today or earlier. Source: spec §5. */
export function canBillImmediately({ start_date }: TypedTerms, today: Day): boolean {
  return start_date !== null && start_date <= today;
}

/** Whether to bill immediately: true only when it was offered and ticked. Source: spec §5. */
export function billsImmediately(typed: TypedTerms, today: Day): boolean {
  return typed.bill_immediately && canBillImmediately(typed, today);
}

/** What was typed, as the calls that enrol take it. */
export function termsOf(typed: TypedTerms, today: Day) {
  const { start_date, note } = typed;
  return { start_date: start_date ?? "", bill_immediately: billsImmediately(typed, today), note };
}
