import { expect, test } from "vitest";
import { throttledRead } from "#kit/ops/throttled-read.ts";

const hourMs = 3_600_000;

test("reads once, however many ask", async () => {
  let reads = 0;
  const ask = throttledRead(async () => (reads += 1), {
    everyMs: hourMs,
    withinMs: hourMs,
    late: 0,
  });
  expect(await Promise.all([ask(), ask(), ask()])).toEqual([1, 1, 1]);
  expect(await ask()).toBe(1);
});

test("a failure is read again when asked, and a good value is kept", async () => {
  const answers = [null, "figures", "others"];
  const ask = throttledRead(async () => answers.shift() ?? null, {
    everyMs: hourMs,
    withinMs: hourMs,
    late: null,
    isKept: (answer) => answer !== null,
  });
  expect([await ask(), await ask(), await ask()]).toEqual([null, "figures", "figures"]);
});

test("an error is thrown to all callers, and the next call reads again", async () => {
  let isAway = true;
  const read = async () => {
    if (isAway) throw new Error("away");
    return "there";
  };
  const ask = throttledRead(read, { everyMs: hourMs, withinMs: hourMs, late: "late" });
  await expect(Promise.all([ask(), ask()])).rejects.toThrow("away");
  isAway = false;
  expect(await ask()).toBe("there");
});

test("a slow reading counts as late until it has ended", async () => {
  const reading = Promise.withResolvers<string>();
  const ask = throttledRead(() => reading.promise, { everyMs: 0, withinMs: 10, late: "late" });
  expect(await ask()).toBe("late");
  reading.resolve("there");
  await expect.poll(ask).toBe("there");
});
