import { sql } from "kysely";
import type { Db } from "#db/database.ts";

export interface Upkeep extends Repaired {
  /** The names of the jobs of dead workers that are begun again. */
  restartedJobs: string[];
}

interface Repaired {
  /** Whether recurring jobs had been put off. */
  werePutOff: boolean;
  /** When any worker last looked which recurring jobs are due, in seconds; null: none ever has. */
  hoursReadAt: number | null;
}

/** What the job queue leaves to us, every few seconds, on any worker. */
export async function maintainQueue(db: Db): Promise<Upkeep> {
  const broughtBack = await repairFutureTimes(db);
  const restartedJobs = await restartKilledJobs(db);
  await removeSuperseded(db);
  return { ...broughtBack, restartedJobs };
}

/**
 * The queue knows no clock but the database's. Where that was ahead and was put right, nothing would be
 * due, nor any worker count as dead, until it is as late again. What failed waits six hours at most.
 */
async function repairFutureTimes(db: Db): Promise<Repaired> {
  const { rows } = await sql<Repaired>`
    with marks as (
      update pgboss.version set cron_on = now() where cron_on > ${soon} returning true
    ), queues as (
      update pgboss.queue set monitor_claim_on = now(), maintain_on = now()
      where greatest(monitor_claim_on, maintain_on) > ${soon}
    ), waiting as (
      update pgboss.job set start_after = now()
      where state in ('created', 'retry')
        and start_after > ${soon} + case state when 'retry' then interval '7 hours' else interval '0' end
      returning true
    ), running as (
      update pgboss.job set heartbeat_on = now() where state = 'active' and heartbeat_on > ${soon}
    ), ticks as ( -- of each minute the queue takes one
      delete from pgboss.job where state = 'completed' and completed_on > ${soon}
    )
    select exists (select from marks union all select from waiting) as were_put_off,
      (select extract(epoch from cron_on)::float8 from pgboss.version) as hours_read_at`.execute(
    db,
  );
  return rows[0] ?? { werePutOff: false, hoursReadAt: null };
}

const soon = sql`now() + interval '1 minute'`;

/**
 * Being killed is no failure of the job: it is begun again at once, also at its last attempt. Where
 * another one waits to be tried again there is no place for it: then that one is due at once.
 */
async function restartKilledJobs(db: Db): Promise<string[]> {
  const { rows } = await sql<{ name: string }>`
    with killed as (
      select name, id, state from pgboss.job
      where state in ('retry', 'failed') and output #>> '{value,message}' = 'job heartbeat timeout'
    )
    update pgboss.job j
    set state = 'retry', start_after = now(), started_on = null, completed_on = null, output = null
    where exists (select from killed k where k.name = j.name
      and case j.state when 'retry' then k.id = j.id or k.state = 'failed'
        when 'failed' then k.id = j.id and not exists (
          select from pgboss.job w where w.name = j.name and w.state = 'retry') end)
    returning name`.execute(db);
  return rows.map(({ name }) => name);
}

/**
 * A recurring job that was given up is of no interest once the next one is ordered, nor one that waits
 * to be tried again once a later one was done well. One that fails while another waits to be tried
 * again finds its place taken.
 */
async function removeSuperseded(db: Db): Promise<void> {
  await sql`
    delete from pgboss.job old
    where policy = 'stately' and (state = 'failed' and retry_count < retry_limit
      or state in ('retry', 'failed') and exists (
        select from pgboss.job other
        where other.name = old.name and other.id <> old.id
          and (old.state = 'failed' and other.state < 'completed'
            or other.state = 'completed' and other.created_on > old.created_on)))`.execute(db);
}
