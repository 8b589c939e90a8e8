import { isAfter, type PlainDate } from "#kit/domain/calendar.ts";

/** When a plan's dues fall: counted in months from the enrolment's start date. */
export interface Schedule {
  startDate: PlainDate;
  everyMonths: number;
}

export interface EnrolmentSchedule extends Schedule {
  /** The network's local day on which the enrolment was made. */
  enrolledOn: PlainDate;
  billImmediately: boolean;
}

export interface DueDate {
  period: number;
  dueOn: PlainDate;
}

/**
 * The date of period `k` (0, 1, 2 …): always counted from the start and clipped to the month's end, so that 31 Jan
 * → 28 Feb → 31 Mar does not drift. Source: domain rules §3.
 */
export function periodDate({ startDate, everyMonths }: Schedule, period: number): PlainDate {
  return startDate.add({ months: period * everyMonths }, { overflow: "constrain" });
}

/** The last period whose date is on or before `day`; -1 before the start. */
export function periodOnOrBefore(schedule: Schedule, day: PlainDate): number {
  const { startDate, everyMonths } = schedule;
  const months = (day.year - startDate.year) * 12 + day.month - startDate.month;
  const candidate = Math.floor(months / everyMonths);
  if (candidate < 0) return -1;
  return isAfter(periodDate(schedule, candidate), day) ? candidate - 1 : candidate;
}

/**
 * The first period billed, never one before the enrolment was made. With Bill immediately, the period that contains
 * that day; otherwise the first one after it, or the start date if that is in the future. Source: domain rules §3.
 */
export function firstBilledPeriod(schedule: EnrolmentSchedule): number {
  const current = periodOnOrBefore(schedule, schedule.enrolledOn);
  return current >= 0 && schedule.billImmediately ? current : current + 1;
}

/** The due date of a billed period: its own date, or the enrolment date if billed immediately. */
export function dueDate(schedule: EnrolmentSchedule, period: number): PlainDate {
  const date = periodDate(schedule, period);
  return isAfter(schedule.enrolledOn, date) ? schedule.enrolledOn : date;
}

/** What is due on or before `asOf`, oldest first. */
export function dueThrough(schedule: EnrolmentSchedule, asOf: PlainDate): DueDate[] {
  const first = firstBilledPeriod(schedule);
  const count = periodOnOrBefore(schedule, asOf) - first + 1;
  return nextDueDates(schedule, first, count);
}

/** The due dates of `count` periods, starting at `firstPeriod`. */
export function nextDueDates(
  schedule: EnrolmentSchedule,
  firstPeriod: number,
  count: number,
): DueDate[] {
  return Array.from({ length: Math.max(0, count) }, (_, index) => {
    const period = firstPeriod + index;
    return { period, dueOn: dueDate(schedule, period) };
  });
}

/** A payment schedule for people, without its amount: `every month`, `every 3 months`. */
export function frequencyText(everyMonths: number): string {
  return everyMonths === 1 ? "every month" : `every ${everyMonths} months`;
}
