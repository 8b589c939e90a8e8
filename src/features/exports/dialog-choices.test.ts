import { expect, test } from "vitest";
import { sinceLastMade } from "#features/exports/dialog-choices.tsx";

const since = (at: string, through: string | null) =>
  sinceLastMade({ lastMade: { at, through } }, "America/New_York");

test("since last time begins where the last report of the type ended, or on the day that was not over then", () => {
  expect(since("2026-11-02T15:00:00Z", "2026-10-31")).toBe("2026-11-01");
  expect(since("2026-11-02T15:00:00Z", "2026-11-02")).toBe("2026-11-02");
  expect(since("2026-11-02T15:00:00Z", "2026-11-30")).toBe("2026-11-02");
  expect(since("2026-11-03T03:00:00Z", "2026-11-30")).toBe("2026-11-02");
  expect(since("2026-11-02T15:00:00Z", null)).toBeNull();
  expect(sinceLastMade({ lastMade: null }, "America/New_York")).toBeNull();
});
