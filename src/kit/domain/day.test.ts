import { expect, test } from "vitest";
import { daysAfter, daysBetween } from "#kit/domain/day.ts";

test.each([
  ["2026-11-30", "2026-11-30", 0],
  ["2026-10-01", "2026-11-30", 60],
  ["2026-11-30", "2026-10-01", -60],
  ["2028-02-28", "2028-03-01", 2], // a leap year
  ["2026-03-07", "2026-03-09", 2], // clocks change in between
])("from %s to %s it is %i days, and as many lead there", (day, other, count) => {
  expect(daysBetween(day, other)).toBe(count);
  expect(daysAfter(day, count)).toBe(other);
});
