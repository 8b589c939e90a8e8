import { Temporal } from "temporal-polyfill";

/* Converge writes `MM/DD/YYYY hh:mm:ss AM`, in Eastern time. */

const eastern = "America/New_York";

/** Null for any other text. In the repeated hour of autumn, the later instant. */
export function instantOf(easternTime: string): Temporal.Instant | null {
  const read = /^(\d\d)\/(\d\d)\/(\d{4}) (\d\d):(\d\d):(\d\d) ([AP])M$/.exec(easternTime);
  if (!read) return null;
  const [, month, day, year, hour, minute, second, half] = read;
  const hours = (Number(hour) % 12) + (half === "P" ? 12 : 0);
  return Temporal.PlainDateTime.from(
    `${year}-${month}-${day}T${String(hours).padStart(2, "0")}:${minute}:${second}`,
  )
    .toZonedDateTime(eastern, { disambiguation: "later" })
    .toInstant();
}

export function easternText(instant: Temporal.Instant): string {
  const time = instant.toZonedDateTimeISO(eastern);
  const two = (number: number) => String(number).padStart(2, "0");
  const day = `${two(time.month)}/${two(time.day)}/${time.year}`;
  const hour = two(time.hour % 12 || 12);
  return `${day} ${hour}:${two(time.minute)}:${two(time.second)} ${time.hour < 12 ? "AM" : "PM"}`;
}
