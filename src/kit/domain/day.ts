/** A calendar day as stored and sent: `YYYY-MM-DD`. Rules compute with `PlainDate` (calendar.ts). */
export type Day = string;

/** The limits of the product's dates, against typing errors such as the year 20226. */
export const earliestDay: Day = "1900-01-01";
export const latestDay: Day = "2199-12-31";

/*
 * Separate from calendar.ts, so that a screen that only reads and shows days does not download the Temporal
 * polyfill.
 */

/** Whether the text is a calendar day that the product accepts, written `YYYY-MM-DD`. */
export function isDay(text: string): boolean {
  if (!/^\d{4}-\d{2}-\d{2}$/.test(text) || text < earliestDay || text > latestDay) return false;
  const date = new Date(`${text}T00:00:00Z`); // 2027-02-29 becomes 2027-03-01 or an invalid date
  return !Number.isNaN(date.getTime()) && date.toISOString().slice(0, 10) === text;
}

const dayMs = 86_400_000;

/** The number of days from the first day to the second; negative if the second is earlier. */
export function daysBetween(day: Day, other: Day): number {
  return (Date.parse(other) - Date.parse(day)) / dayMs; // both are midnights in UTC
}

/** The day `count` days after another. */
export function daysAfter(day: Day, count: number): Day {
  return new Date(Date.parse(day) + count * dayMs).toISOString().slice(0, 10);
}

/** A day for people: MM/DD/YYYY. Source: spec §9. */
export function formatDay(day: Day): string {
  const [year, month, date] = day.split("-");
  return `${month}/${date}/${year}`;
}

/** A day as a person may type it (`1/31/2027`, `01/31/2027`, `2027-01-31`), or null if invalid. */
export function dayFromTyping(typed: string): Day | null {
  const american = /^\s*(\d{1,2})\/(\d{1,2})\/(\d{4})\s*$/.exec(typed);
  const day = american
    ? `${american[3]}-${american[1]?.padStart(2, "0")}-${american[2]?.padStart(2, "0")}`
    : typed.trim();
  return isDay(day) ? day : null;
}

/** The day of an instant in a time zone: MM/DD/YYYY. */
export function dayOf(instant: string, timeZone: string | undefined): string {
  const format = { timeZone, year: "numeric", month: "2-digit", day: "2-digit" } as const;
  return new Intl.DateTimeFormat("en-US", format).format(new Date(instant));
}
