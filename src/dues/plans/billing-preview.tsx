import {
  type EnrolmentSchedule,
  firstBilledPeriod,
  nextDueDates,
} from "#kit/domain/billing-schedule.ts";
import { plainDate } from "#kit/domain/calendar.ts";
import { type Day, formatDay } from "#kit/domain/day.ts";
import { type Cents, cents, formatMoney } from "#kit/domain/money.ts";
import type { Plan } from "./contract.ts";
import { billsImmediately, type TypedTerms } from "./enrolment-terms.tsx";

interface Billing {
  plan: Pick<Plan, "amount" | "frequencyInMonths">;
  terms: TypedTerms;
  /** Today in the network's time zone. */
  today: Day;
  /** The number of attorneys enrolled together. */
  attorneys: number;
}

/**
 * What enrolling will bill: `bill $50.00 today, then 12/31/2026, 01/31/2027, 02/28/2027 …` or
 * `bill nothing today, then $50.00 on …`. Null without a start date.
 */
export function describeBilling({ plan, terms, today, attorneys }: Billing): string | null {
  if (terms.start_date === null) return null;
  const enrolling: EnrolmentSchedule = {
    startDate: plainDate(terms.start_date),
    everyMonths: plan.frequencyInMonths,
    enrolledOn: plainDate(today),
    billImmediately: billsImmediately(terms, today),
  };
  return billingText(enrolling, cents(plan.amount * attorneys));
}

function billingText(enrolling: EnrolmentSchedule, amount: Cents): string {
  const first = firstBilledPeriod(enrolling);
  if (enrolling.billImmediately)
    return `bill ${formatMoney(amount)} today, then ${threeDates(enrolling, first + 1)}`;
  return `bill nothing today, then ${formatMoney(amount)} on ${threeDates(enrolling, first)}`;
}

function threeDates(enrolling: EnrolmentSchedule, firstPeriod: number): string {
  const dates = nextDueDates(enrolling, firstPeriod, 3);
  return `${dates.map(({ dueOn }) => formatDay(dueOn.toString())).join(", ")} …`;
}
