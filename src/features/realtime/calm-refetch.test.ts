import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { calmly } from "./calm-refetch.tsx";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

/** Refetches that take as long as asked, noted by when they began. */
function aScreen(takesMs: number) {
  const began: number[] = [];
  const { hint, stop } = calmly(async () => {
    began.push(performance.now());
    await new Promise((resolve) => setTimeout(resolve, takesMs));
  });
  return { began, hint, stop };
}

test("a hundred hints in a row ask at most once a second", async () => {
  const { began, hint } = aScreen(10);
  for (let sent = 0; sent < 100; sent += 1) {
    hint();
    await vi.advanceTimersByTimeAsync(50);
  }
  await vi.advanceTimersByTimeAsync(5000);
  const gaps = began.slice(1).map((at, index) => at - (began[index] ?? 0));
  expect(began.length).toBeGreaterThanOrEqual(4);
  expect(Math.min(...gaps)).toBeGreaterThanOrEqual(1000);
});

test("the last hint is never lost, however slow the answer to an earlier one", async () => {
  const { began, hint } = aScreen(4000);
  hint();
  await vi.advanceTimersByTimeAsync(2000); // the first is under way
  hint();
  hint();
  await vi.advanceTimersByTimeAsync(10_000);
  expect(began).toHaveLength(2);
});

test("a screen that was left asks no more", async () => {
  const { began, hint, stop } = aScreen(10);
  hint();
  stop();
  await vi.advanceTimersByTimeAsync(5000);
  expect(began).toHaveLength(0);
});
