import type { Db } from "#kit/db/database.ts";

/**
 * Have an ordered job done, in the transaction of what it is about. Those of the highest priority come first. One that
 * still waits under this key is changed instead of a second one. Throws where no worker ever knew the job.
 */
export async function sendJob(
  tx: Db,
  name: string,
  { key, data, priority = 0 }: { key: string; data: object; priority?: number },
): Promise<void> {
  await (await queueIn(tx)).upsert(name, data, { singletonKey: key, priority });
}

/** The queue, for statements in a transaction: no job is taken by this one. */
export async function queueIn(tx: Db) {
  const { fromKysely, PgBoss } = await import("pg-boss"); // which few web processes need
  return new PgBoss({ db: fromKysely(tx) });
}
