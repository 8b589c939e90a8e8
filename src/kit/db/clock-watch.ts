import { setTimeout as after } from "node:timers/promises";
import { clockAheadMs, clockProblem } from "#kit/db/clock.ts";
import type { Db } from "#kit/db/database.ts";

export interface ClockWatch {
  /** The last measured difference in seconds; NaN before the first measurement. */
  aheadSeconds(): number;
  close(): Promise<void>;
}

const everyMs = 5_000;

/**
 * Compare this process's clock with the database's, now and every five seconds. Log once if it is off by more than
 * a minute, and once when it is right again. Jobs check the clock themselves.
 */
export async function watchClock(db: Db, log: (line: string) => void): Promise<ClockWatch> {
  const closed = new AbortController();
  let aheadMs = Number.NaN;
  let isWrong = false;

  async function check(): Promise<void> {
    try {
      aheadMs = await clockAheadMs(db);
    } catch {
      return; // the database is unavailable, which is reported elsewhere
    }
    const problem = clockProblem(aheadMs);
    if (problem !== null && !isWrong) log(`${problem} ${consequence}`);
    if (problem === null && isWrong) log("This machine's clock agrees with the database's again.");
    isWrong = problem !== null;
  }

  async function checkForever(): Promise<void> {
    while (!closed.signal.aborted) {
      await after(everyMs, undefined, { signal: closed.signal, ref: false }).catch(() => undefined);
      if (!closed.signal.aborted) await check();
    }
  }

  await check();
  const checking = checkForever();
  return {
    aheadSeconds: () => aheadMs / 1000,
    close: async () => {
      closed.abort();
      await checking;
    },
  };
}

const consequence = "This process's time and date are wrong until that is fixed.";
