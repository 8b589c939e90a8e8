import { once } from "node:events";
import type { Worker } from "node:worker_threads";
import { afterAll, afterEach, expect, test } from "vitest";
import { ThreadEnded, Threads } from "#kit/ops/threads.ts";

const started: Worker[] = [];
const note = (thread: Worker) => started.push(thread);
process.on("worker", note);
afterAll(() => void process.off("worker", note));

const opened: Threads[] = [];
afterEach(() => {
  for (const threads of opened.splice(0)) threads.close();
  started.length = 0;
});

function aPool({ idleMs = 600_000 } = {}): Threads {
  const file = new URL("../../../tests/support/threads/answering-thread.ts", import.meta.url);
  const threads = new Threads({ file, heapMegabytes: 16, idleMs });
  opened.push(threads);
  return threads;
}

const { signal } = new AbortController();

test("a thread does one task after another, and messages arrive in order", async () => {
  const threads = aPool();
  expect(await threads.run(["nothing", "one"], signal)).toBe("one");
  expect(await threads.run(["two"], signal)).toBe("two");
  expect(started).toHaveLength(1);
  expect(await Promise.all([threads.run(["a"], signal), threads.run(["b"], signal)])).toEqual([
    "a",
    "b",
  ]);
  expect(started).toHaveLength(2);
});

test("a thread's problem is thrown, and it does the next task", async () => {
  const threads = aPool();
  await expect(threads.run(["refuse"], signal)).rejects.toThrow("It was told to.");
  expect(await threads.run(["on"], signal)).toBe("on");
  expect(started).toHaveLength(1);
});

test.each(["fill memory", "throw"])(
  "a thread that has to %s ends alone: the process goes on, with another",
  async (told) => {
    const threads = aPool();
    await expect(threads.run([told], signal)).rejects.toThrow(ThreadEnded);
    expect(await threads.run(["on"], signal)).toBe("on");
    expect(started).toHaveLength(2);
  },
);

test("an endless thread is ended when its answer is no longer wanted", async () => {
  const threads = aPool();
  const nobody = new AbortController();
  const working = threads.run(["work for ever"], nobody.signal);
  working.catch(() => undefined);
  nobody.abort(new Error("Hung up."));
  await expect(working).rejects.toThrow("Hung up.");
  expect(await threads.run(["on"], signal)).toBe("on");
  await expect(threads.run(["late"], nobody.signal)).rejects.toThrow("Hung up.");
});

test("an idle thread ends after its time, and all end at close: a busy one after its answer", async () => {
  const brief = aPool({ idleMs: 1 });
  await brief.run(["one"], signal);
  if (started[0]) await once(started[0], "exit");

  const threads = aPool();
  await threads.run(["one"], signal);
  const answer = threads.run(["two"], signal);
  threads.close();
  expect(await answer).toBe("two");
  if (started[1]) await once(started[1], "exit");
});
