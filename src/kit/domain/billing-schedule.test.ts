import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { Temporal } from "temporal-polyfill";
import {
  dueThrough,
  type EnrolmentSchedule,
  firstBilledPeriod,
  frequencyText,
  nextDueDates,
  periodDate,
  periodOnOrBefore,
} from "#kit/domain/billing-schedule.ts";
import { dayIn, plainDate } from "#kit/domain/calendar.ts";
import { rounds } from "#tests/support/rounds.ts";

/*
 * The reference: ten lines that know nothing of Temporal. The days of months are written out, a
 * period is found by walking, and what is billed is whatever domain rules §3 says of each period.
 */
const monthEnds = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];
const isLeap = (year: number) => (year % 4 === 0 && year % 100 !== 0) || year % 400 === 0;
const daysIn = (year: number, month: number) =>
  month === 2 && isLeap(year) ? 29 : (monthEnds[month - 1] ?? 0);
const two = (number: number) => String(number).padStart(2, "0");
function referenceDate(start: string, months: number): string {
  const [year = 0, month = 0, day = 0] = start.split("-").map(Number);
  const [y, m] = [year + Math.floor((month - 1 + months) / 12), ((month - 1 + months) % 12) + 1];
  return `${y}-${two(m)}-${two(Math.min(day, daysIn(y, m)))}`;
}
function referenceDue(
  start: string,
  every: number,
  madeOn: string,
  immediately: boolean,
  asOf: string,
) {
  const due: string[] = [];
  for (let k = 0; referenceDate(start, k * every) <= asOf; k += 1) {
    const [date, next] = [referenceDate(start, k * every), referenceDate(start, (k + 1) * every)];
    const containsToday = date <= madeOn && madeOn < next;
    if (date > madeOn) due.push(date);
    else if (immediately && containsToday) due.push(madeOn);
  }
  return due;
}

const days = (from: string, to: string) =>
  fc
    .integer({ min: 0, max: plainDate(from).until(to).days })
    .map((count) => plainDate(from).add({ days: count }));
const frequencies = fc.integer({ min: 1, max: 120 });

const enrollings: fc.Arbitrary<EnrolmentSchedule> = fc
  .record({
    startDate: days("1996-01-01", "2104-12-31"), // through 2000, a leap year, and 2100, which is none
    everyMonths: frequencies,
    enrolledAfter: fc.integer({ min: -2000, max: 6000 }),
    wantsBilling: fc.boolean(),
  })
  .map(({ startDate, everyMonths, enrolledAfter, wantsBilling }) => ({
    startDate,
    everyMonths,
    enrolledOn: startDate.add({ days: enrolledAfter }),
    billImmediately: wantsBilling && enrolledAfter >= 0, // asked for only when the start is not ahead
  }));

const textOf = (enrolling: EnrolmentSchedule, asOf: Temporal.PlainDate) =>
  dueThrough(enrolling, asOf).map(({ dueOn }) => dueOn.toString());

describe("the date of a period", () => {
  test("the 31st falls on each month's end and does not drift", () => {
    const schedule = { startDate: plainDate("2026-01-31"), everyMonths: 1 };
    const dates = [0, 1, 2, 3, 4, 12, 25].map((k) => periodDate(schedule, k).toString());
    expect(dates).toEqual([
      "2026-01-31",
      "2026-02-28",
      "2026-03-31",
      "2026-04-30",
      "2026-05-31",
      "2027-01-31",
      "2028-02-29",
    ]);
  });

  test("a 29 February falls on the 28th in common years and on the 29th again in leap years", () => {
    const schedule = { startDate: plainDate("2096-02-29"), everyMonths: 12 };
    const dates = [1, 4, 8].map((k) => periodDate(schedule, k).toString());
    expect(dates).toEqual(["2097-02-28", "2100-02-28", "2104-02-29"]);
  });

  test("equals the reference for every day of the month and every frequency", () => {
    for (let day = 1; day <= 31; day += 1) {
      for (let every = 1; every <= 120; every += 1) {
        const start = `2027-12-${two(day)}`;
        const schedule = { startDate: plainDate(start), everyMonths: every };
        for (const k of [0, 1, 2, 3, 7, 12, 13])
          expect(periodDate(schedule, k).toString()).toBe(referenceDate(start, k * every));
      }
    }
  });
});

describe("the period of a day", () => {
  test("is the last one that has begun", () => {
    fc.assert(
      fc.property(
        days("1996-01-01", "2104-12-31"),
        frequencies,
        days("1990-01-01", "2140-01-01"),
        (startDate, everyMonths, day) => {
          const schedule = { startDate, everyMonths };
          const period = periodOnOrBefore(schedule, day);
          const begins = period < 0 ? null : periodDate(schedule, period);
          expect(period).toBeGreaterThanOrEqual(-1);
          expect(begins === null || Temporal.PlainDate.compare(begins, day) <= 0).toBe(true);
          expect(Temporal.PlainDate.compare(periodDate(schedule, period + 1), day)).toBe(1);
        },
      ),
      { numRuns: rounds(500, 3000) },
    );
  });
});

const monthly = (start: string, madeOn: string, billImmediately: boolean): EnrolmentSchedule => ({
  startDate: plainDate(start),
  everyMonths: 1,
  enrolledOn: plainDate(madeOn),
  billImmediately,
});

describe("what is billed", () => {
  test.each([
    [
      "a start ahead: from the start date",
      "2026-06-15",
      "2026-05-10",
      false,
      ["2026-06-15", "2026-07-15"],
    ],
    [
      "starting tomorrow",
      "2026-05-11",
      "2026-05-10",
      false,
      ["2026-05-11", "2026-06-11", "2026-07-11"],
    ],
    [
      "starting today, not at once: from the next date",
      "2026-05-10",
      "2026-05-10",
      false,
      ["2026-06-10", "2026-07-10"],
    ],
    [
      "starting today, at once: today",
      "2026-05-10",
      "2026-05-10",
      true,
      ["2026-05-10", "2026-06-10", "2026-07-10"],
    ],
    [
      "a start behind, at once: the period that contains today, due today",
      "2025-01-31",
      "2026-05-10",
      true,
      ["2026-05-10", "2026-05-31", "2026-06-30"],
    ],
    [
      "a start behind: nothing retroactively",
      "2025-01-31",
      "2026-05-10",
      false,
      ["2026-05-31", "2026-06-30"],
    ],
    [
      "a start behind whose date is today: after today",
      "2025-01-10",
      "2026-05-10",
      false,
      ["2026-06-10", "2026-07-10"],
    ],
    [
      "a start behind whose date is today, at once",
      "2025-01-10",
      "2026-05-10",
      true,
      ["2026-05-10", "2026-06-10", "2026-07-10"],
    ],
  ])("%s", (_, start, madeOn, immediately, due) => {
    expect(textOf(monthly(start, madeOn, immediately), plainDate("2026-07-20"))).toEqual(due);
  });

  test("equals what the ten-line reference bills", () => {
    fc.assert(
      fc.property(enrollings, fc.integer({ min: 0, max: 5000 }), (enrolling, later) => {
        const asOf = enrolling.enrolledOn.add({ days: later });
        const [start, madeOn] = [enrolling.startDate.toString(), enrolling.enrolledOn.toString()];
        expect(textOf(enrolling, asOf)).toEqual(
          referenceDue(
            start,
            enrolling.everyMonths,
            madeOn,
            enrolling.billImmediately,
            asOf.toString(),
          ),
        );
      }),
      { numRuns: rounds(500, 2000) },
    );
  });

  test("is never due before the enrolment was made or after the given day, and is in order", () => {
    fc.assert(
      fc.property(enrollings, fc.integer({ min: 0, max: 5000 }), (enrolling, later) => {
        const asOf = enrolling.enrolledOn.add({ days: later });
        const due = textOf(enrolling, asOf);
        expect(due).toEqual(due.toSorted());
        expect(new Set(due).size).toBe(due.length);
        for (const day of due) {
          expect(day >= enrolling.enrolledOn.toString()).toBe(true);
          expect(day <= asOf.toString()).toBe(true);
        }
      }),
    );
  });

  test("is the same whenever billing runs: outages, repeats and steps back", () => {
    const runs = fc.array(fc.integer({ min: 0, max: 3000 }), { maxLength: 12 });
    fc.assert(
      fc.property(enrollings, runs, (enrolling, offsets) => {
        const billed = new Map<number, string>();
        for (const offset of offsets) {
          const asOf = enrolling.enrolledOn.add({ days: offset });
          for (const { period, dueOn } of dueThrough(enrolling, asOf)) {
            expect(billed.get(period) ?? dueOn.toString()).toBe(dueOn.toString());
            billed.set(period, dueOn.toString());
          }
        }
        const furthest = enrolling.enrolledOn.add({ days: Math.max(0, ...offsets) });
        const inOrder = [...billed].toSorted(([a], [b]) => a - b).map(([, dueOn]) => dueOn);
        expect(inOrder).toEqual(offsets.length === 0 ? [] : textOf(enrolling, furthest));
      }),
    );
  });

  test("is due on the network's own day, in every time zone, at every instant", () => {
    const zones = fc.constantFrom(
      "Pacific/Honolulu",
      "America/New_York",
      "America/Los_Angeles",
      "Pacific/Kiritimati",
      "Asia/Kolkata",
      "Europe/Berlin",
      "UTC",
    );
    const instants = fc.integer({ min: 0, max: 4_000_000_000 });
    fc.assert(
      fc.property(
        zones,
        instants,
        fc.boolean(),
        frequencies,
        (zone, seconds, billImmediately, everyMonths) => {
          const instant = Temporal.Instant.fromEpochMilliseconds(seconds * 1000);
          const enrolledOn = dayIn(zone, instant);
          const enrolling = { startDate: enrolledOn, everyMonths, enrolledOn, billImmediately };
          const local = instant.toZonedDateTimeISO(zone).toString().slice(0, 10);
          expect(textOf(enrolling, enrolledOn)).toEqual(billImmediately ? [local] : []);
        },
      ),
    );
  });

  test("the announced next bills are the ones that come", () => {
    fc.assert(
      fc.property(enrollings, (enrolling) => {
        const said = nextDueDates(enrolling, firstBilledPeriod(enrolling), 12);
        const last = said.at(-1);
        expect(dueThrough(enrolling, last?.dueOn ?? enrolling.enrolledOn)).toEqual(said);
      }),
    );
  });
});

test("a frequency reads the way people say it", () => {
  expect(frequencyText(1)).toBe("every month");
  expect(frequencyText(3)).toBe("every 3 months");
});
