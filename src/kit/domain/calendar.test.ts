import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { Temporal } from "temporal-polyfill";
import { dayIn, plainDate } from "#kit/domain/calendar.ts";
import { dayFromTyping, formatDay, isDay } from "#kit/domain/day.ts";

describe("a day", () => {
  test.each(["1900-01-01", "2024-02-29", "2026-01-31", "2199-12-31"])("%s is one", (text) => {
    expect(isDay(text)).toBe(true);
    expect(plainDate(text).toString()).toBe(text);
  });

  test.each([
    "1899-12-31",
    "2200-01-01",
    "20226-01-01",
    "2025-02-29",
    "2100-02-29",
    "2026-02-30",
    "2026-04-31",
    "2026-13-01",
    "2026-00-10",
    "2026-01-00",
    "2026-1-1",
    "01/31/2026",
    "2026-01-31T00:00",
    "2026-01-31 ",
    "2026-01-31\n",
    "２０２６-01-31",
    "today",
    "",
  ])("%j is none", (text) => {
    expect(isDay(text)).toBe(false);
  });

  test("29 February is a day only in leap years", () => {
    for (let year = 1900; year <= 2199; year += 1) {
      const isLeap = (year % 4 === 0 && year % 100 !== 0) || year % 400 === 0;
      expect(isDay(`${year}-02-29`)).toBe(isLeap);
    }
  });
});

describe("today in a time zone", () => {
  test.each([
    ["America/New_York", "2026-01-01T04:59:59Z", "2025-12-31"],
    ["America/New_York", "2026-01-01T05:00:00Z", "2026-01-01"],
    ["Pacific/Honolulu", "2026-01-01T09:59:59Z", "2025-12-31"],
    ["Pacific/Honolulu", "2026-01-01T10:00:00Z", "2026-01-01"],
    ["Pacific/Kiritimati", "2025-12-31T10:00:00Z", "2026-01-01"],
    // The night that summer time begins, and the night that it ends.
    ["America/New_York", "2026-03-09T03:59:59Z", "2026-03-08"],
    ["America/New_York", "2026-03-09T04:00:00Z", "2026-03-09"],
    ["America/New_York", "2026-11-01T03:59:59Z", "2026-10-31"],
    ["America/New_York", "2026-11-01T04:00:00Z", "2026-11-01"],
    ["America/New_York", "2026-11-02T04:59:59Z", "2026-11-01"],
    ["America/New_York", "2026-11-02T05:00:00Z", "2026-11-02"],
    // Where summer time skips midnight itself.
    ["America/Havana", "2026-03-08T04:59:59Z", "2026-03-07"],
    ["America/Havana", "2026-03-08T05:00:00Z", "2026-03-08"],
  ])("in %s at %s it is %s", (timeZone, instant, day) => {
    expect(dayIn(timeZone, Temporal.Instant.from(instant)).toString()).toBe(day);
  });
});

describe("days as people read and type them", () => {
  test("every day reads MM/DD/YYYY and can be typed so", () => {
    const days = fc
      .date({ min: new Date("1900-01-01"), max: new Date("2199-12-31"), noInvalidDate: true })
      .map((date) => date.toISOString().slice(0, 10));
    fc.assert(
      fc.property(days, (day) => {
        expect(formatDay(day)).toMatch(/^\d\d\/\d\d\/\d{4}$/);
        expect(dayFromTyping(formatDay(day))).toBe(day);
        expect(dayFromTyping(day)).toBe(day);
      }),
    );
  });

  test.each([
    ["1/31/2027", "2027-01-31"],
    [" 01/31/2027 ", "2027-01-31"],
    ["2027-01-31", "2027-01-31"],
    ["2/29/2027", null],
    ["31/1/2027", null],
    ["1/31/27", null],
    ["1-31-2027", null],
    ["", null],
    ["tomorrow", null],
  ])("%j typed is %s", (typed, day) => {
    expect(dayFromTyping(typed)).toBe(day);
  });
});
