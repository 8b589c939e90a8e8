import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { plainDate } from "#domain/calendar.ts";
import { isPaused, mustSuspend } from "#domain/suspension.ts";

const today = plainDate("2026-11-21");
const dueDaysAgo = (days: number) => today.subtract({ days });
const policy = { enabled: true, threshold: 2, periodInDays: 30 };

describe("suspension for overdue reports", () => {
  test.each([
    [[], false],
    [[-30], false],
    [[0], false],
    [[59], false],
    [[60], false], // exactly two periods are tolerated
    [[61], true],
    [[0, 61, 5], true],
    [[60, 60], false], // each report counts by itself, they do not add up
  ])("with reports due %j days ago: %s", (daysAgo, suspended) => {
    expect(mustSuspend(daysAgo.map(dueDaysAgo), policy, today)).toBe(suspended);
  });

  test("a grace period of 0 tolerates no overdue day, and of 120 a great many", () => {
    const none = { ...policy, threshold: 0 };
    expect(mustSuspend([dueDaysAgo(0)], none, today)).toBe(false);
    expect(mustSuspend([dueDaysAgo(1)], none, today)).toBe(true);
    const most = { ...policy, threshold: 120 };
    expect(mustSuspend([dueDaysAgo(3600)], most, today)).toBe(false);
    expect(mustSuspend([dueDaysAgo(3601)], most, today)).toBe(true);
  });

  test("switched off, nothing suspends", () => {
    expect(mustSuspend([dueDaysAgo(9999)], { ...policy, enabled: false }, today)).toBe(false);
  });

  test("it depends on the most overdue report alone, and a longer grace never suspends more", () => {
    const ages = fc.array(fc.integer({ min: -400, max: 4000 }));
    const thresholds = fc.integer({ min: 0, max: 119 });
    fc.assert(
      fc.property(ages, thresholds, fc.integer({ min: 1, max: 365 }), (days, threshold, period) => {
        const rule = { enabled: true, threshold, periodInDays: period };
        const reports = days.map(dueDaysAgo);
        const suspended = mustSuspend(reports, rule, today);
        expect(suspended).toBe(days.length > 0 && Math.max(...days) > threshold * period);
        expect(mustSuspend(reports.toReversed(), rule, today)).toBe(suspended);
        const isStillSuspended = mustSuspend(reports, { ...rule, threshold: threshold + 1 }, today);
        expect(isStillSuspended && !suspended).toBe(false);
      }),
    );
  });

  test("days are days across the changes of summer time", () => {
    const rule = { enabled: true, threshold: 1, periodInDays: 1 };
    expect(mustSuspend([plainDate("2026-03-07")], rule, plainDate("2026-03-08"))).toBe(false);
    expect(mustSuspend([plainDate("2026-03-07")], rule, plainDate("2026-03-09"))).toBe(true);
  });
});

describe("vacation", () => {
  test.each([
    [null, false],
    ["2026-11-20", false],
    ["2026-11-21", false], // today is accepted and means not paused
    ["2026-11-22", true],
    ["2199-12-31", true],
  ])("until %s: paused %s", (until, paused) => {
    expect(isPaused(until === null ? null : plainDate(until), today)).toBe(paused);
  });
});
