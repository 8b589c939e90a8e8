import { sql } from "kysely";
import type { PlainDate } from "#kit/domain/calendar.ts";
import type { Day } from "#kit/domain/day.ts";

/**
 * Whether an attorney (alias `a`) is on vacation: `paused_until` is after today. Source: domain
 * rules §6.
 */
export const isPaused = (today: PlainDate | Day) =>
  sql<boolean>`coalesce(a.paused_until > ${today.toString()}::date, false)`;
