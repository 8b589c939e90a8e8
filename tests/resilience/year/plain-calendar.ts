/*
 * Independent calendar arithmetic, without the product's rules or their library: days are counted from 1
 * January 1970, months by their lengths.
 */

/** Days since 1 January 1970. */
export type DayNumber = number;

const dayMs = 86_400_000;

export const dayNumber = (day: string): DayNumber => Date.parse(`${day}T00:00:00Z`) / dayMs;
export const dayText = (day: DayNumber): string => new Date(day * dayMs).toISOString().slice(0, 10);

/** 0 on Mondays: 1 January 1970 was a Thursday. */
const weekday = (day: string) => (dayNumber(day) + 3) % 7;
export const isMonday = (day: string): boolean => weekday(day) === 0;
export const isWeekend = (day: string): boolean => weekday(day) > 4;

const isLeap = (year: number) => (year % 4 === 0 && year % 100 !== 0) || year % 400 === 0;
const lengths = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];
const lengthOf = (year: number, month: number) =>
  month === 1 && isLeap(year) ? 29 : (lengths[month] ?? 0);

/** Some months after a date, on its day of the month, or on the last day of a shorter month. */
export function monthsAfter(day: string, months: number): string {
  const [year = 0, month = 1, dayOfMonth = 1] = day.split("-").map(Number);
  const count = year * 12 + month - 1 + months;
  const [inYear, inMonth] = [Math.floor(count / 12), count % 12];
  const clipped = Math.min(dayOfMonth, lengthOf(inYear, inMonth));
  return [inYear, String(inMonth + 1).padStart(2, "0"), String(clipped).padStart(2, "0")].join("-");
}

/** An enrolment as the office made it, and the last local date through which it had to be billed. */
export interface Enrolled {
  startDate: string;
  everyMonths: number;
  enrolledOn: string;
  billImmediately: boolean;
  /** The date of the last billing, or of unsubscribing. */
  through: string;
}

/** The dates on which an enrolment is billed: domain rules §3, written independently. */
export function dueDays(enrolled: Enrolled): string[] {
  const { startDate, everyMonths, enrolledOn, billImmediately, through } = enrolled;
  const days = [];
  let current: string | null = null; // the period that contains the date of enrolling
  for (let months = 0; ; months += everyMonths) {
    const day = monthsAfter(startDate, months);
    if (day > through) break;
    if (day <= enrolledOn) current = day;
    else days.push(day);
  }
  return billImmediately && current !== null ? [enrolledOn, ...days] : days;
}

const formats = new Map<string, Intl.DateTimeFormat>();

/** The date and hour in a time zone, by the machine's own time zone data. */
export function localTime(timeZone: string, instantMs: number): { day: string; hour: number } {
  let format = formats.get(timeZone);
  if (!format) {
    const parts = { year: "numeric", month: "2-digit", day: "2-digit", hour: "2-digit" } as const;
    format = new Intl.DateTimeFormat("en-CA", { timeZone, hourCycle: "h23", ...parts });
    formats.set(timeZone, format);
  }
  const shown = Object.fromEntries(
    format.formatToParts(instantMs).map(({ type, value }) => [type, value]),
  );
  const day = [shown["year"], shown["month"], shown["day"]].join("-");
  return { day, hour: Number(shown["hour"]) };
}

/** Numbers from 0 to 1 that look random, the same in each run. */
export function seededRandom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
