import { setTimeout as sleep } from "node:timers/promises";
import type { Log } from "#kit/ops/log.ts";
import { readSeldom } from "#kit/ops/read-seldom.ts";

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
 * wrong, null when nothing is; each change is logged when it is next asked for. A network file system that is away answers
 * nothing at all, so a check counts as failed after `timeoutMs`, before a proxy stops waiting.
 */
export function watchReadiness(
  { message, whyNot }: { message: string; whyNot: () => Promise<string | null> },
  log: Log,
  timeoutMs = 3_000,
): Readiness {
  const findProblem = readSeldom(
    () => whyNot().catch((reason: unknown) => `${message} ${String(reason)}`),
    { everyMs: cacheMs, withinMs: timeoutMs, late: `${message} It does not answer.` },
  );
  let logged: string | null = null;
  return {
    message,
    isReady: async () => {
      const problem = await findProblem();
      if (problem !== null && problem !== logged) log.error(problem);
      if (problem === null && logged !== null) log.info(`This is over: ${logged}`);
      logged = problem;
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
