import { sql } from "kysely";
import type { Db } from "#db/database.ts";

/*
 * A clock that was ahead, on any worker, puts recurring jobs off: the queue notes when it queued each
 * last, and queues none before that. Nothing of ours is due later than now by the database's clock,
 * but for what failed and waits to be tried again, which is six hours at most.
 */

const tolerated = "interval '1 minute'";
const maxPause = "interval '7 hours'";

/** How far a recurring job's time stamps lie in the future, in seconds; for the job `j`. */
const jobAhead = `extract(epoch from j.run_at - now()
  - case when j.attempts > 0 then ${maxPause} else interval '0' end)`;

/** How far the queue's time stamps lie in the future, in seconds; 0 when none does. */
export const secondsAhead = `
  greatest(0,
    (select max(extract(epoch from last_execution - now())) from graphile_worker._private_known_crontabs),
    (select max(${jobAhead}) from graphile_worker._private_jobs j
      join graphile_worker._private_known_crontabs c on c.identifier = j.key))::float8`;

/** Have recurring jobs that were put off be due now. Answers their names, in alphabetical order. */
export async function bringBackFutureJobs(db: Db): Promise<string[]> {
  const { rows } = await sql<{ name: string }>`
    with scheduled as (
      update graphile_worker._private_known_crontabs
      set last_execution = now(), known_since = least(known_since, now())
      where last_execution > now() + ${sql.raw(tolerated)}
      returning identifier as name
    ), queued as (
      update graphile_worker._private_jobs j set run_at = now(), attempts = 0
      from graphile_worker._private_known_crontabs c
      where c.identifier = j.key and j.locked_at is null
        and ${sql.raw(jobAhead)} > extract(epoch from ${sql.raw(tolerated)})
      returning j.key as name
    )
    select name from scheduled union select name from queued order by name`.execute(db);
  return rows.map(({ name }) => name);
}
