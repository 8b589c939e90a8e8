import { expect, test } from "vitest";
import { dayOfMonth, lastDayOfMonth } from "#kit/domain/month-days.ts";

test("a day of the month is the last one of a shorter month", () => {
  expect(dayOfMonth(31, "2026-01-15")).toBe("2026-01-31");
  expect(dayOfMonth(31, "2026-02-01")).toBe("2026-02-28");
  expect(dayOfMonth(29, "2028-02-29")).toBe("2028-02-29");
  expect(dayOfMonth(5, "2026-04-30")).toBe("2026-04-05");
});

test("the most recent such day, including today", () => {
  expect(lastDayOfMonth(31, "2026-04-29")).toBe("2026-03-31");
  expect(lastDayOfMonth(31, "2026-04-30")).toBe("2026-04-30");
  expect(lastDayOfMonth(31, "2026-03-01")).toBe("2026-02-28");
  expect(lastDayOfMonth(1, "2026-01-01")).toBe("2026-01-01");
  expect(lastDayOfMonth(15, "2026-01-01")).toBe("2025-12-15");
});
