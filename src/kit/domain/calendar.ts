import { Temporal } from "temporal-polyfill";
import type { Day } from "#kit/domain/day.ts";

export type PlainDate = Temporal.PlainDate;
export type Instant = Temporal.Instant;

/** Read `YYYY-MM-DD`. Throws a RangeError for anything else, including 2027-02-29. */
export function plainDate(day: Day): PlainDate {
  return Temporal.PlainDate.from(day, { overflow: "reject" });
}

/** Whether the first day is after the second. */
export function isAfter(day: PlainDate, other: PlainDate): boolean {
  return Temporal.PlainDate.compare(day, other) > 0;
}

/** The calendar day in a time zone (IANA name) at an instant. */
export function dayIn(timeZone: string, instant: Instant): PlainDate {
  return instant.toZonedDateTimeISO(timeZone).toPlainDate();
}

export function today(timeZone: string): PlainDate {
  return dayIn(timeZone, Temporal.Now.instant());
}
