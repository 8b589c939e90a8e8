import type { Day } from "#kit/domain/day.ts";

/** What an administrator enters to enroll one attorney or all of them. */
export interface TypedTerms {
  start_date: Day | null;
  bill_immediately: boolean;
  note: string;
}

export function defaultTerms(today: Day): TypedTerms {
  return { start_date: today, bill_immediately: false, note: "" };
}

/** Whether "Bill immediately" is offered: only if the start date is today or earlier. Source: spec §5. */
export function canBillImmediately({ start_date }: TypedTerms, today: Day): boolean {
  return start_date !== null && start_date <= today;
}

/** Whether to bill immediately: true only if it is offered and checked. Source: spec §5. */
export function billsImmediately(typed: TypedTerms, today: Day): boolean {
  return typed.bill_immediately && canBillImmediately(typed, today);
}

/** The terms for the calls that enroll. */
export function termsOf(typed: TypedTerms, today: Day) {
  const { start_date, note } = typed;
  return { start_date: start_date ?? "", bill_immediately: billsImmediately(typed, today), note };
}
