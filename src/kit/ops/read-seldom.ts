import { setTimeout as sleep } from "node:timers/promises";

interface Reading<Value> {
  everyMs: number;
  withinMs: number;
  /** What counts until a reading that takes longer has ended. */
  late: Value;
  /** What is read again each time that it is asked for, such as a failure. Default: nothing is. */
  isKept?: (value: Value) => boolean;
}

/** Read something when it is asked for, but at most every `everyMs`, however many ask. Throws what `read` throws. */
export function readSeldom<Value>(
  read: () => Promise<Value>,
  { everyMs, withinMs, late, isKept = () => true }: Reading<Value>,
): () => Promise<Value> {
  let known = late;
  let knownAt = Number.NEGATIVE_INFINITY;
  let reading: Promise<void> | null = null;

  function keep(value: Value): void {
    known = value;
    if (isKept(value)) knownAt = performance.now();
  }

  async function readOnce(): Promise<void> {
    try {
      keep(await read());
    } finally {
      reading = null;
    }
  }

  return async () => {
    if (performance.now() - knownAt < everyMs) return known;
    reading ??= readOnce();
    const inTime = reading.then(() => true);
    if (!(await Promise.race([inTime, sleep(withinMs, false, { ref: false })]))) keep(late);
    return known;
  };
}
