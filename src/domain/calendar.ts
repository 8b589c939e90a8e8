import { Temporal } from "temporal-polyfill";

export type PlainDate = Temporal.PlainDate;
export type Instant = Temporal.Instant;

/** A calendar day as it is stored and sent: `YYYY-MM-DD`. Rules reckon with `PlainDate`. */
export type Day = string;

/** No date of the product lies outside these two; it keeps typing errors such as year 20226 out. */
export const earliestDay: Day = "1900-01-01";
export const latestDay: Day = "2199-12-31";

/** Read `YYYY-MM-DD`; throws a RangeError for anything else, 2027-02-29 included. */
export function plainDate(day: Day): PlainDate {
  return Temporal.PlainDate.from(day, { overflow: "reject" });
}

/** Whether the text is a day of the calendar, written `YYYY-MM-DD`, that the product accepts. */
export function isDay(text: string): boolean {
  if (!/^\d{4}-\d{2}-\d{2}$/.test(text) || text < earliestDay || text > latestDay) return false;
  try {
    plainDate(text);
    return true;
  } catch {
    return false; // the answer to the question asked, not a swallowed failure
  }
}

/** Whether the first day comes after the second. */
export function isAfter(day: PlainDate, other: PlainDate): boolean {
  return Temporal.PlainDate.compare(day, other) > 0;
}

/** The calendar day that it is in a time zone (IANA name) at an instant. */
export function dayIn(timeZone: string, instant: Instant): PlainDate {
  return instant.toZonedDateTimeISO(timeZone).toPlainDate();
}

export function today(timeZone: string): PlainDate {
  return dayIn(timeZone, Temporal.Now.instant());
}

/** A day as people read it: MM/DD/YYYY. Source: spec §9. */
export function formatDay(day: Day): string {
  const [year, month, date] = day.split("-");
  return `${month}/${date}/${year}`;
}

/** A day as a person may type it (`1/31/2027`, `01/31/2027`, `2027-01-31`), or null when it is none. */
export function dayFromTyping(typed: string): Day | null {
  const american = /^\s*(\d{1,2})\/(\d{1,2})\/(\d{4})\s*$/.exec(typed);
  const day = american
    ? `${american[3]}-${american[1]?.padStart(2, "0")}-${american[2]?.padStart(2, "0")}`
    : typed.trim();
  return isDay(day) ? day : null;
}
