import { setTimeout as sleep } from "node:timers/promises";

interface Reading<Value> {
  everyMs: number;
  withinMs: number;
  /** Returned if a reading takes longer, until it has ended. */
  late: Value;
  /** Whether a value is kept. Otherwise it is read again each time, such as a failure. Default: every value. */
  isKept?: (value: Value) => boolean;
}

/** Read something when asked, but at most every `everyMs`, however many ask. Throws what `read` throws. */
export function throttledRead<Value>(
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
