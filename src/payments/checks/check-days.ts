import { formatDay, type Day } from "#kit/domain/day.ts";
import type { PlainDate } from "#kit/domain/calendar.ts";
import { invalid } from "#kit/contract/refusal.ts";

/** Throws 422 for a day of a check in the future or more than a year ago; `what` is the field. Source: domain rules §10. */
export function refuseDay(path: string, what: string, day: Day, today: PlainDate): void {
  const earliest = today.subtract({ years: 1 }).toString();
  if (day > today.toString()) throw invalid(path, `${what} must not be in the future.`);
  if (day < earliest)
    throw invalid(path, `${what} must be at most a year ago: ${formatDay(earliest)} or later.`);
}
