import { setTimeout as sleep } from "node:timers/promises";
import type { Log } from "#kit/ops/log.ts";
import { throttledRead } from "#kit/ops/throttled-read.ts";

/** Something other than the database that a process needs to be ready. */
export interface Readiness {
  /** What `/readyz` answers if it is not ready. The log has the reason. */
  message: string;
  /** Whether it is ready, as of a few seconds ago at most. */
  isReady(): Promise<boolean>;
}

const cacheMs = 5_000;
const databaseTimeoutMs = 1_000;

/**
 * Check something when asked, but at most every five seconds. `whyNot` answers what is wrong, or null. Each change
 * is logged when next asked. A lost network file system does not answer at all, so a check counts as failed after
 * `timeoutMs`, before a proxy stops waiting.
 */
export function watchReadiness(
  { message, whyNot }: { message: string; whyNot: () => Promise<string | null> },
  log: Log,
  timeoutMs = 3_000,
): Readiness {
  const findProblem = throttledRead(
    () => whyNot().catch((reason: unknown) => `${message} ${String(reason)}`),
    { everyMs: cacheMs, withinMs: timeoutMs, late: `${message} It does not answer.` },
  );
  let logged: string | null = null;
  return {
    message,
    isReady: async () => {
      const problem = await findProblem();
      if (problem !== null && problem !== logged) log.error(problem);
      if (problem === null && logged !== null) log.info(`Resolved: ${logged}`);
      logged = problem;
      return problem === null;
    },
  };
}

/**
 * The result of a readiness check's query: null if the database fails or does not answer soon. `/readyz` reports
 * that separately, and a busy database does not mean that a folder is lost.
 */
export async function resultInTime<Result>(query: Promise<Result>): Promise<Result | null> {
  const late = sleep(databaseTimeoutMs, null, { ref: false });
  return await Promise.race([query.catch(() => null), late]);
}
