import { setTimeout as sleep } from "node:timers/promises";
import type { Log } from "#ops/log.ts";

/** Something besides the database without which a process is not ready. */
export interface Readiness {
  /** What `/readyz` answers when it is not ready; the log has the reason. */
  message: string;
  /** Whether it is ready, as of a few seconds ago at most. */
  isReady(): Promise<boolean>;
}

const cacheMs = 5_000;
const databaseTimeoutMs = 1_000;

/**
 * Check something whenever it is asked for, but every five seconds at most. `whyNot` answers what is
 * wrong, null when nothing is; each change is logged. A network file system that is away answers
 * nothing at all, so a check counts as failed after `timeoutMs`, before a proxy stops waiting.
 */
export function watchReadiness(
  { message, whyNot }: { message: string; whyNot: () => Promise<string | null> },
  log: Log,
  timeoutMs = 3_000,
): Readiness {
  let problem: string | null = null;
  let checkedAt = Number.NEGATIVE_INFINITY;
  let checking: Promise<void> | null = null;

  function record(what: string | null): void {
    if (what !== null && what !== problem) log.error(what);
    if (what === null && problem !== null) log.info(`This is over: ${problem}`);
    problem = what;
    checkedAt = performance.now();
  }

  async function check(): Promise<void> {
    try {
      record(await whyNot());
    } catch (reason) {
      record(`${message} ${String(reason)}`);
    } finally {
      checking = null;
    }
  }

  return {
    message,
    isReady: async () => {
      if (performance.now() - checkedAt > cacheMs) {
        checking ??= check();
        const late = sleep(timeoutMs, "late", { ref: false });
        if ((await Promise.race([checking, late])) === "late")
          record(`${message} It does not answer.`);
      }
      return problem === null;
    },
  };
}

/**
 * The result of a query that a readiness check makes: null when the database fails or does not answer
 * soon. `/readyz` reports that by itself, and a busy database is no reason to take a folder for lost.
 */
export async function resultInTime<Result>(query: Promise<Result>): Promise<Result | null> {
  const late = sleep(databaseTimeoutMs, null, { ref: false });
  return await Promise.race([query.catch(() => null), late]);
}
