import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { scheduleRefetches } from "./refetch-scheduler.tsx";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

/** A screen whose refetches take `takesMs`; `began` lists their start times. */
function aScreen(takesMs: number) {
  const began: number[] = [];
  let failing = false;
  const { hint, stop } = scheduleRefetches(async () => {
    began.push(performance.now());
    await new Promise((resolve) => setTimeout(resolve, takesMs));
    return !failing;
  });
  return { began, hint, stop, fail: (fails: boolean) => void (failing = fails) };
}

test("a hundred hints in a row refetch at most once a second", async () => {
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

test("the last hint is never lost, however slow an earlier refetch", async () => {
  const { began, hint } = aScreen(4000);
  hint();
  await vi.advanceTimersByTimeAsync(2000); // the first is under way
  hint();
  hint();
  await vi.advanceTimersByTimeAsync(10_000);
  expect(began).toHaveLength(2);
});

test("a closed screen does not refetch", async () => {
  const { began, hint, stop } = aScreen(10);
  hint();
  stop();
  await vi.advanceTimersByTimeAsync(5000);
  expect(began).toHaveLength(0);
});

test("a failed refetch is tried again after growing pauses until it succeeds", async () => {
  const { began, hint, fail } = aScreen(0);
  fail(true);
  hint();
  await vi.advanceTimersByTimeAsync(300_000);
  const pauses = began.slice(1).map((at, index) => at - (began[index] ?? 0));
  expect(pauses[0]).toBeGreaterThanOrEqual(2000);
  expect(pauses[1]).toBeGreaterThanOrEqual(4000);
  expect(Math.max(...pauses)).toBeLessThan(40_000);
  fail(false);
  const failed = began.length;
  await vi.advanceTimersByTimeAsync(120_000);
  expect(began).toHaveLength(failed + 1);
});

test("a hint ends the pause after a failed refetch", async () => {
  const { began, hint, fail } = aScreen(0);
  fail(true);
  hint();
  await vi.advanceTimersByTimeAsync(120_000);
  const asked = began.length;
  hint();
  await vi.advanceTimersByTimeAsync(1500);
  expect(began).toHaveLength(asked + 1);
});
