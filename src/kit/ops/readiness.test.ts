import { expect, test } from "vitest";
import { openLog } from "#kit/ops/log.ts";
import { resultInTime, watchReadiness } from "#kit/ops/readiness.ts";

const message = "It cannot be used.";

function aLog() {
  const lines: string[] = [];
  const log = openLog("info", {
    write: (line) => {
      const { msg }: { msg: string } = JSON.parse(line);
      lines.push(msg);
    },
  });
  return { lines, log };
}

test("repeated questions are answered from one check, and logged once", async () => {
  const { lines, log } = aLog();
  let looks = 0;
  const need = watchReadiness(
    {
      message,
      whyNot: async () => {
        looks += 1;
        return "It is full.";
      },
    },
    log,
  );
  const answers = await Promise.all([1, 2, 3].map(() => need.isReady()));
  answers.push(await need.isReady());
  expect([answers, looks, lines]).toEqual([[false, false, false, false], 1, ["It is full."]]);
});

test("a check without an answer fails, and no one waits forever", async () => {
  const { lines, log } = aLog();
  const never = new Promise<null>(() => undefined);
  const need = watchReadiness({ message, whyNot: () => never }, log, 20);
  expect(await need.isReady()).toBe(false);
  expect(lines).toEqual(["It cannot be used. It does not answer."]);
});

test("a check that throws counts as failed", async () => {
  const { lines, log } = aLog();
  const need = watchReadiness({ message, whyNot: () => Promise.reject(new Error("EIO")) }, log);
  expect(await need.isReady()).toBe(false);
  expect(lines).toEqual(["It cannot be used. Error: EIO"]);
});

test("an unavailable or busy database does not fail other checks", async () => {
  expect(await resultInTime(Promise.resolve("an answer"))).toBe("an answer");
  expect(await resultInTime(Promise.reject(new Error("away")))).toBeNull();
  expect(await resultInTime(new Promise(() => undefined))).toBeNull();
});
