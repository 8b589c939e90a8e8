import type { Day } from "#kit/domain/day.ts";

/*
 * Calendar months, quarters and years around a day. Without Temporal, like day.ts, so that screens do not download
 * it.
 */

/** Both days included. */
export interface Period {
  from: Day;
  to: Day;
}

/** For each name: its length in months, and how many periods before today's it is. */
const periods = {
  this_month: { months: 1, before: 0 },
  last_month: { months: 1, before: 1 },
  this_quarter: { months: 3, before: 0 },
  last_quarter: { months: 3, before: 1 },
  this_year: { months: 12, before: 0 },
  last_year: { months: 12, before: 1 },
} as const;

export type PeriodName = keyof typeof periods;
export const periodNames = Object.keys(periods) as PeriodName[]; // its own literal, above

/** The whole period, even if it includes today. */
export function periodOf(name: PeriodName, today: Day): Period {
  const { months, before } = periods[name];
  const [year = 0, month = 1] = today.split("-").map(Number);
  const first = (Math.floor((month - 1) / months) - before) * months;
  return { from: dayOf(year, first, 1), to: dayOf(year, first + months, 0) };
}

/** The name of the period between two days, if it has one. */
export function periodNamed(
  between: { from: Day | undefined; to: Day | undefined },
  today: Day,
): PeriodName | undefined {
  return periodNames.find((name) => {
    const { from, to } = periodOf(name, today);
    return between.from === from && between.to === to;
  });
}

/** Months count from 0 and may be outside the year; day 0 is the last day of the month before. */
const dayOf = (year: number, month: number, date: number): Day =>
  new Date(Date.UTC(year, month, date)).toISOString().slice(0, 10);
