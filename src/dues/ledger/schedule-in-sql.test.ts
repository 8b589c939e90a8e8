import * as fc from "fast-check";
import { sql } from "kysely";
import { expect } from "vitest";
import { periodDate, periodOnOrBefore } from "#kit/domain/billing-schedule.ts";
import { plainDate } from "#kit/domain/calendar.ts";
import { databaseTest, db } from "#tests/support/database-test.ts";

/* The rule is written in TypeScript for one enrolment and in SQL for sets. Both must agree. */

const test = databaseTest({ connections: 1 });

interface Case {
  start: string;
  every: number;
  period: number;
  day: string;
}

const days = fc
  .integer({ min: 0, max: plainDate("1900-01-01").until("2199-12-31").days })
  .map((count) => plainDate("1900-01-01").add({ days: count }).toString());

const cases: fc.Arbitrary<Case> = fc.record({
  start: days,
  every: fc.integer({ min: 1, max: 120 }),
  period: fc.integer({ min: 0, max: 300 }),
  day: days,
});

/** Days close to the anniversaries of a start date, where clipping and counting can go wrong. */
const closeCalls: fc.Arbitrary<Case> = fc
  .record({ start: days, every: fc.integer({ min: 1, max: 120 }), period: fc.nat({ max: 20 }) })
  .chain(({ start, every, period }) =>
    fc.integer({ min: -4, max: 4 }).map((off) => ({
      start,
      every,
      period,
      day: periodDate({ startDate: plainDate(start), everyMonths: every }, period)
        .add({ days: off })
        .toString(),
    })),
  );

test("SQL and TypeScript give each period the same date, and each day the same period", async () => {
  const sample = [...fc.sample(cases, 6000), ...fc.sample(closeCalls, 6000)];
  const { rows } = await sql<{ date: string; period: number }>`
    select period_date(start, every, period) as date, period_on_or_before(start, every, day) as period
    from unnest(${sample.map((one) => one.start)}::date[], ${sample.map((one) => one.every)}::integer[],
      ${sample.map((one) => one.period)}::integer[], ${sample.map((one) => one.day)}::date[])
      with ordinality as sample (start, every, period, day, place)
    order by place`.execute(db);
  const ruled = sample.map(({ start, every, period, day }) => {
    const schedule = { startDate: plainDate(start), everyMonths: every };
    return {
      date: periodDate(schedule, period).toString(),
      period: periodOnOrBefore(schedule, plainDate(day)),
    };
  });
  expect(rows).toHaveLength(12_000);
  const differing = sample.filter(
    (_, index) => JSON.stringify(rows[index]) !== JSON.stringify(ruled[index]),
  );
  expect(differing).toEqual([]);
});

test("a day without a date has no period", async () => {
  const { rows } = await sql<{ period: number | null }>`
    select period_on_or_before('2026-01-31', 1, null) as period`.execute(db);
  expect(rows).toEqual([{ period: null }]);
});
