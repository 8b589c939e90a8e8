import { setTimeout as after } from "node:timers/promises";
import { Transaction } from "kysely";
import type { Db, Tx } from "#kit/db/database.ts";
import { notifyAfterCommit } from "#kit/db/changes.ts";
import { isLostConnection, OutcomeUnknown } from "#kit/db/lost-connection.ts";

const attempts = 4;

/**
 * Run a change in one transaction, and announce it after the commit. A deadlock or serialization failure rolls
 * everything back, so the work is retried after a moment, when the other transaction can finish. Throws
 * OutcomeUnknown if the database goes away during the commit. Inside a transaction, the change becomes part of it.
 */
export async function inTransaction<Answer>(
  db: Db,
  work: (tx: Tx) => Promise<Answer>,
): Promise<Answer> {
  if (db instanceof Transaction) return await work(db);
  return await retryingDeadlocks(() => attemptTransaction(db, work));
}

/** The same retries for a change of one statement, which commits automatically. */
export async function retryingDeadlocks<Answer>(attempt: () => Promise<Answer>): Promise<Answer> {
  for (let number = 1; ; number += 1) {
    try {
      return await attempt();
    } catch (problem) {
      if (number === attempts || !isRetryable(problem)) throw problem;
      await after(number * 20 * (1 + Math.random()));
    }
  }
}

async function attemptTransaction<Answer>(
  db: Db,
  work: (tx: Tx) => Promise<Answer>,
): Promise<Answer> {
  let isCommitting = false;
  try {
    const [answer, tx] = await db.transaction().execute(async (tx) => {
      const answer = await work(tx);
      isCommitting = true;
      return [answer, tx] as const;
    });
    notifyAfterCommit(db, tx);
    return answer;
  } catch (problem) {
    const isUnknown = isCommitting && problem instanceof Error && isLostConnection(problem);
    throw isUnknown ? new OutcomeUnknown(problem) : problem;
  }
}

function isRetryable(problem: unknown): boolean {
  return (
    problem instanceof Error &&
    "code" in problem &&
    (problem.code === "40P01" || problem.code === "40001")
  );
}
