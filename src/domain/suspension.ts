import { isAfter, type PlainDate } from "#domain/calendar.ts";

export interface SuspensionPolicy {
  enabled: boolean;
  /** Whole overdue periods tolerated, 0 to 120: the grace period. */
  threshold: number;
  periodInDays: number;
}

/**
 * Whether an attorney must stop receiving referrals.
 *
 * True when the report on any open matter is overdue by more than `threshold` whole periods.
 * `reportsDue` are the due dates of the open matters, in any order. Source: domain rules §6.
 */
export function mustSuspend(
  reportsDue: readonly PlainDate[],
  policy: SuspensionPolicy,
  today: PlainDate,
): boolean {
  const tolerated = policy.threshold * policy.periodInDays;
  return policy.enabled && reportsDue.some((due) => due.until(today).days > tolerated);
}

/** Whether an attorney is on vacation: only while the day lies after today. Source: domain rules §6. */
export function isPaused(pausedUntil: PlainDate | null, today: PlainDate): boolean {
  return pausedUntil !== null && isAfter(pausedUntil, today);
}
