import { Temporal } from "temporal-polyfill";

export interface TimeSpan {
  from: Temporal.Instant;
  to: Temporal.Instant;
}

/**
 * The time between two instants, oldest first, in spans of 30 days: Authorize.Net and Converge list 31 at
 * most.
 */
export function spansBetween(from: Temporal.Instant, to: Temporal.Instant): TimeSpan[] {
  const spans: TimeSpan[] = [];
  for (let start = from; Temporal.Instant.compare(start, to) < 0;) {
    const next = start.add({ hours: 30 * 24 });
    spans.push({ from: start, to: Temporal.Instant.compare(next, to) < 0 ? next : to });
    start = next;
  }
  return spans;
}
