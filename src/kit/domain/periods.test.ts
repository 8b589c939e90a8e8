import { expect, test } from "vitest";
import { periodNamed, periodNames, periodOf } from "#kit/domain/periods.ts";

test.each([
  ["this_month", "2028-02-29", "2028-02-01", "2028-02-29"],
  ["last_month", "2026-01-31", "2025-12-01", "2025-12-31"],
  ["this_quarter", "2026-11-22", "2026-10-01", "2026-12-31"],
  ["last_quarter", "2026-11-22", "2026-07-01", "2026-09-30"],
  ["last_quarter", "2026-02-01", "2025-10-01", "2025-12-31"],
  ["this_year", "2026-11-22", "2026-01-01", "2026-12-31"],
  ["last_year", "2026-01-01", "2025-01-01", "2025-12-31"],
] as const)("%s on %s", (name, today, from, to) => {
  expect(periodOf(name, today)).toEqual({ from, to });
});

test("a period is recognized by its days; other ranges have no name", () => {
  for (const name of periodNames)
    expect(periodNamed(periodOf(name, "2026-11-22"), "2026-11-22")).toBe(name);
  expect(periodNamed({ from: "2026-11-01", to: undefined }, "2026-11-22")).toBeUndefined();
  expect(periodNamed({ from: "2026-11-01", to: "2026-11-29" }, "2026-11-22")).toBeUndefined();
});
