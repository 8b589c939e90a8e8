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

test("who asks again and again is answered from one look, and the log is told once", async () => {
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

test("what gives no answer is not fine, and nobody waits for it for ever", async () => {
  const { lines, log } = aLog();
  const never = new Promise<null>(() => undefined);
  const need = watchReadiness({ message, whyNot: () => never }, log, 20);
  expect(await need.isReady()).toBe(false);
  expect(lines).toEqual(["It cannot be used. It does not answer."]);
});

test("a look that fails counts as one that found something wrong", async () => {
  const { lines, log } = aLog();
  const need = watchReadiness({ message, whyNot: () => Promise.reject(new Error("EIO")) }, log);
  expect(await need.isReady()).toBe(false);
  expect(lines).toEqual(["It cannot be used. Error: EIO"]);
});

test("a database that is away or busy says nothing of what else is looked after", async () => {
  expect(await resultInTime(Promise.resolve("an answer"))).toBe("an answer");
  expect(await resultInTime(Promise.reject(new Error("away")))).toBeNull();
  expect(await resultInTime(new Promise(() => undefined))).toBeNull();
});
