import { Temporal } from "temporal-polyfill";

/** Converge gives all times in US Eastern. */
const zone = "America/New_York";

const two = (number: number) => String(number).padStart(2, "0");

function easternOf(ms: number): Temporal.ZonedDateTime {
  return Temporal.Instant.fromEpochMilliseconds(ms).toZonedDateTimeISO(zone);
}

/** `180820`: day, month, year. */
export function easternDay(ms: number): string {
  const { day, month, year } = easternOf(ms);
  return `${two(day)}${two(month)}${two(year % 100)}`;
}

/** `MM/DD/YYYY hh:mm:ss AM`. */
export function easternTime(ms: number): string {
  const { year, month, day, hour, minute, second } = easternOf(ms);
  const half = hour < 12 ? "AM" : "PM";
  return `${two(month)}/${two(day)}/${year} ${two(hour % 12 || 12)}:${two(minute)}:${two(second)} ${half}`;
}

/** Read `MM/DD/YYYY hh:mm:ss AM`: milliseconds since 1970, or null for anything else. */
export function readEasternTime(text: string): number | null {
  const [, month, day, year, hour, minute, second, half] =
    /^(\d\d)\/(\d\d)\/(\d{4}) (\d\d):(\d\d):(\d\d) (AM|PM)$/.exec(text) ?? [];
  const hours = (Number(hour) % 12) + (half === "PM" ? 12 : 0);
  try {
    const time = `${year}-${month}-${day}T${two(hours)}:${minute}:${second}`;
    return Temporal.PlainDateTime.from(time).toZonedDateTime(zone).epochMilliseconds;
  } catch {
    return null; // no such day or time
  }
}
