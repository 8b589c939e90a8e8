import { Temporal } from "temporal-polyfill";

/** Converge tells every time in US Eastern. */
const zone = "America/New_York";

const two = (number: number) => String(number).padStart(2, "0");

function eastern(ms: number): Temporal.ZonedDateTime {
  return Temporal.Instant.fromEpochMilliseconds(ms).toZonedDateTimeISO(zone);
}

/** `180820`: day, month, year. */
export function easternDay(ms: number): string {
  const { day, month, year } = eastern(ms);
  return `${two(day)}${two(month)}${two(year % 100)}`;
}

/** `MM/DD/YYYY hh:mm:ss AM`. */
export function easternTime(ms: number): string {
  const { year, month, day, hour, minute, second } = eastern(ms);
  const half = hour < 12 ? "AM" : "PM";
  return `${two(month)}/${two(day)}/${year} ${two(hour % 12 || 12)}:${two(minute)}:${two(second)} ${half}`;
}

/**
 * Read `MM/DD/YYYY`, with or without ` hh:mm:ss AM`. A day alone means its beginning, or its end
 * for `isEnd`. Answers null for anything else, else milliseconds since 1970.
 */
export function readEastern(text: string, isEnd: boolean): number | null {
  const [, month, day, year, time, hour, minute, second, half] =
    /^(\d\d)\/(\d\d)\/(\d{4})( (\d\d):(\d\d):(\d\d) (AM|PM))?$/.exec(text) ?? [];
  if (month === undefined) return null;
  try {
    const date = Temporal.PlainDate.from(`${year}-${month}-${day}`, { overflow: "reject" });
    if (time === undefined) {
      const start = date.add({ days: isEnd ? 1 : 0 }).toZonedDateTime(zone);
      return start.epochMilliseconds - (isEnd ? 1 : 0);
    }
    const hours = (Number(hour) % 12) + (half === "PM" ? 12 : 0);
    const plainTime = Temporal.PlainTime.from(`${two(hours)}:${minute}:${second}`);
    return date.toZonedDateTime({ timeZone: zone, plainTime }).epochMilliseconds;
  } catch {
    return null; // no such day or time
  }
}
