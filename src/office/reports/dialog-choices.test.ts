import { expect, test } from "vitest";
import { sinceLastMade } from "#office/reports/dialog-choices.tsx";

const since = (at: string, through: string) =>
  sinceLastMade({ lastWhole: [{ mode: null, at, through }] }, "", "America/New_York");

test("since last time begins after the last report of the type, or on its day if that was not over", () => {
  expect(since("2026-11-02T15:00:00Z", "2026-10-31")).toBe("2026-11-01");
  expect(since("2026-11-02T15:00:00Z", "2026-11-02")).toBe("2026-11-02");
  expect(since("2026-11-02T15:00:00Z", "2026-11-30")).toBe("2026-11-02");
  expect(since("2026-11-03T03:00:00Z", "2026-11-30")).toBe("2026-11-02");
  expect(sinceLastMade({ lastWhole: [] }, "", "America/New_York")).toBeNull();
});

test("since last time depends on the chosen event type", () => {
  const at = "2026-11-02T15:00:00Z";
  const lastWhole = [
    { mode: "submitted_at", at, through: "2026-10-31" },
    { mode: "confirmed_at", at, through: "2026-09-30" },
  ];
  const since = (mode: string) => sinceLastMade({ lastWhole }, mode, "America/New_York");
  expect([since("submitted_at"), since("confirmed_at"), since("due_on")]).toEqual([
    "2026-11-01",
    "2026-10-01",
    null,
  ]);
});
