import { isAfter, type PlainDate } from "#kit/domain/calendar.ts";

/** When a plan's dues fall: counted in months from the day an attorney's enrolment starts. */
export interface Schedule {
  startDate: PlainDate;
  everyMonths: number;
}

export interface EnrolmentSchedule extends Schedule {
  /** The network's local day on which the enrolment is made. */
  enrolledOn: PlainDate;
  billImmediately: boolean;
}

export interface DueDate {
  period: number;
  dueOn: PlainDate;
}

/**
 * The date of period `k` (0, 1, 2 …): always counted from the start, the day clipped to the
 * month's end, so that 31 Jan → 28 Feb → 31 Mar does not drift. Source: domain rules §3.
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
 * The first period that an enrolment is billed for: never one before it was made. Billed
 * immediately, that is the period which contains the day; else the first one after it, or the
 * start date itself when that lies ahead. Source: domain rules §3.
 */
export function firstBilledPeriod(schedule: EnrolmentSchedule): number {
  const current = periodOnOrBefore(schedule, schedule.enrolledOn);
  return current >= 0 && schedule.billImmediately ? current : current + 1;
}

/** The due date of a period that is billed: its own date, or the enrolment date for an immediate one. */
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

/** The due dates of `count` periods from `firstPeriod` on. */
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

/** A payment schedule as people read it, without its amount: `every month`, `every 3 months`. */
export function frequencyText(everyMonths: number): string {
  return everyMonths === 1 ? "every month" : `every ${everyMonths} months`;
}
