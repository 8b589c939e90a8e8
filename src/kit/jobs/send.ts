import type { Db } from "#kit/db/database.ts";

/**
 * Order a job, in the transaction of what it is about. The highest priority runs first. A waiting job with the same
 * key is changed instead of adding a second one. Throws if no worker ever knew the job.
 */
export async function sendJob(
  tx: Db,
  name: string,
  { key, data, priority = 0 }: { key: string; data: object; priority?: number },
): Promise<void> {
  await (await queueIn(tx)).upsert(name, data, { singletonKey: key, priority });
}

/** The queue, for statements in a transaction. It takes no jobs itself. */
export async function queueIn(tx: Db) {
  const { fromKysely, PgBoss } = await import("pg-boss"); // few web processes need it
  return new PgBoss({ db: fromKysely(tx) });
}
