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
  const { fromKysely, PgBoss } = await import("pg-boss"); // which few web processes need
  await new PgBoss({ db: fromKysely(tx) }).send(name, data, { priority });
}
