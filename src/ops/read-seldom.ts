import { setTimeout as sleep } from "node:timers/promises";

interface Reading<Value> {
  everyMs: number;
  withinMs: number;
  /** What counts until a reading that takes longer has ended. */
  late: Value;
}

/** Read something when it is asked for, but at most every `everyMs`, however many ask. `read` must not throw. */
export function readSeldom<Value>(
  read: () => Promise<Value>,
  { everyMs, withinMs, late }: Reading<Value>,
): () => Promise<Value> {
  let known = late;
  let knownAt = Number.NEGATIVE_INFINITY;
  let reading: Promise<void> | null = null;

  function keep(value: Value): void {
    known = value;
    knownAt = performance.now();
  }

  async function readOnce(): Promise<void> {
    keep(await read());
    reading = null;
  }

  return async () => {
    if (performance.now() - knownAt < everyMs) return known;
    reading ??= readOnce();
    const inTime = reading.then(() => true);
    if (!(await Promise.race([inTime, sleep(withinMs, false, { ref: false })]))) keep(late);
    return known;
  };
}
