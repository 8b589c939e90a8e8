import { formatDay, type Day } from "#kit/domain/day.ts";
import type { PlainDate } from "#kit/domain/calendar.ts";
import { invalid } from "#kit/contract/refusal.ts";

/** A day that is a fact of a check: at most a year back, never in the future (422). Source: domain rules §10. */
export function refuseDay(path: string, what: string, day: Day, today: PlainDate): void {
  const earliest = today.subtract({ years: 1 }).toString();
  if (day > today.toString()) throw invalid(path, `${what} must not be in the future.`);
  if (day < earliest)
    throw invalid(path, `${what} must be at most a year back, ${formatDay(earliest)} or later.`);
}
