import type { Day } from "#kit/domain/day.ts";
import { periodOf } from "#kit/domain/periods.ts";

/** A day of the month of another day, or the last day of a shorter month. */
export function dayOfMonth(date: number, of: Day): Day {
  const { from, to } = periodOf("this_month", of);
  const day = `${from.slice(0, 8)}${String(date).padStart(2, "0")}`;
  return day > to ? to : day;
}

/** The most recent such day, including today. */
export function lastDayOfMonth(date: number, today: Day): Day {
  const day = dayOfMonth(date, today);
  return day > today ? dayOfMonth(date, periodOf("last_month", today).from) : day;
}
