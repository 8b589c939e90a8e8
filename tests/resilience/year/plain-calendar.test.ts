import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { dueThrough } from "#kit/domain/billing-schedule.ts";
import { plainDate } from "#kit/domain/calendar.ts";
import {
  dayNumber,
  dayText,
  dueDays,
  localTime,
  monthsAfter,
} from "#tests/resilience/year/plain-calendar.ts";

describe("the plain calendar that checks a simulated year", () => {
  test.each([
    ["2028-01-31", 1, "2028-02-29"],
    ["2027-01-31", 1, "2027-02-28"],
    ["2024-02-29", 12, "2025-02-28"],
    ["2024-02-29", 48, "2028-02-29"],
    ["2027-11-30", 3, "2028-02-29"],
    ["2027-12-31", 12, "2028-12-31"],
    ["2099-12-29", 2, "2100-02-28"],
  ])("%s and %i months later", (day, months, later) => {
    expect(monthsAfter(day, months)).toBe(later);
  });

  test.each([
    ["America/New_York", "2028-03-12T06:59:00Z", { day: "2028-03-12", hour: 1 }],
    ["America/New_York", "2028-03-12T07:00:00Z", { day: "2028-03-12", hour: 3 }],
    ["Asia/Kolkata", "2028-02-28T18:30:00Z", { day: "2028-02-29", hour: 0 }],
    ["Australia/Lord_Howe", "2028-06-30T13:30:00Z", { day: "2028-07-01", hour: 0 }],
    ["Australia/Lord_Howe", "2028-12-31T13:00:00Z", { day: "2029-01-01", hour: 0 }],
  ])("what clocks show in %s at %s", (timeZone, instant, shown) => {
    expect(localTime(timeZone, Date.parse(instant))).toEqual(shown);
  });

  test("puts dues on the same dates as the product's rule", () => {
    const days = fc.integer({ min: dayNumber("2023-01-01"), max: dayNumber("2029-12-31") });
    const lengths = fc.constantFrom(1, 2, 3, 6, 12);
    fc.assert(
      fc.property(
        days,
        days,
        fc.nat(800),
        lengths,
        fc.boolean(),
        (start, made, on, every, atOnce) => {
          const [startDate, enrolledOn, through] = [start, made, made + on].map(dayText);
          if (!startDate || !enrolledOn || !through) return;
          const terms = { everyMonths: every, billImmediately: atOnce && start <= made };
          const ruled = dueThrough(
            { ...terms, startDate: plainDate(startDate), enrolledOn: plainDate(enrolledOn) },
            plainDate(through),
          ).map(({ dueOn }) => dueOn.toString());
          expect(dueDays({ ...terms, startDate, enrolledOn, through })).toEqual(ruled);
        },
      ),
    );
  });
});
