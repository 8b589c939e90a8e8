import type { Db } from "#db/database.ts";

/**
 * Have a job done, in the transaction of what it is about. Those of the highest priority come first.
 * Of a recurring job one waits at most. Throws where no worker ever knew the job.
 */
export async function sendJob(
  tx: Db,
  name: string,
  data: object | null = null,
  priority = 0,
): Promise<void> {
  await (await queueIn(tx)).send(name, data, { priority });
}

/** Take back the jobs about `data` that no worker has begun. */
export async function removeWaitingJobs(tx: Db, name: string, data: object): Promise<void> {
  const queue = await queueIn(tx);
  const waiting = await queue.findJobs(name, { data, queued: true });
  if (waiting.length === 0) return;
  await queue.deleteJob(
    name,
    waiting.map(({ id }) => id),
  );
}

/** The queue as a transaction sees it; no job is taken there. */
export async function queueIn(tx: Db) {
  const { fromKysely, PgBoss } = await import("pg-boss"); // which few web processes need
  return new PgBoss({ db: fromKysely(tx) });
}
