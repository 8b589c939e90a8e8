import { secondsAhead } from "#jobs/future-jobs.ts";
import { lockOf } from "#db/locks.ts";
import { ageInSeconds, type MetricQuery } from "#ops/metric-query.ts";

const waits = "locked_at is null and attempts < max_attempts";

/** The job queue's own tables, and the roll call of workers; there are none before the first worker. */
export const jobMetrics: MetricQuery[] = [
  {
    label: "task",
    metrics: {
      jobs_queued: "Jobs that wait, those to be tried again included",
      jobs_running: "Jobs being done",
      jobs_retrying: "Jobs that failed and will be tried again",
      jobs_failed: "Jobs given up after their last attempt",
      jobs_oldest_waiting_seconds: "How long the job longest due has waited",
    },
    sql: `
      select task_identifier as label,
        count(*) filter (where ${waits}) as jobs_queued,
        count(*) filter (where locked_at is not null) as jobs_running,
        count(*) filter (where attempts > 0 and ${waits}) as jobs_retrying,
        count(*) filter (where locked_at is null and attempts >= max_attempts) as jobs_failed,
        ${ageInSeconds(`min(run_at) filter (where ${waits} and run_at <= now())`)} as jobs_oldest_waiting_seconds
      from graphile_worker.jobs group by task_identifier`,
  },
  {
    label: "task",
    metrics: {
      jobs_last_scheduled_timestamp_seconds: "When a worker last put the job into the queue",
    },
    sql: `
      select identifier as label,
        extract(epoch from last_execution)::float8 as jobs_last_scheduled_timestamp_seconds
      from graphile_worker._private_known_crontabs`,
  },
  {
    metrics: {
      jobs_ahead_seconds:
        "How far time stamps of the job queue lie in the future, by the database's clock",
    },
    sql: `select ${secondsAhead} as jobs_ahead_seconds`,
  },
  {
    metrics: { job_workers: "Worker processes that answer the roll call" },
    sql: `
      select count(*) as job_workers from pg_locks
      where locktype = 'advisory' and classid = ${lockOf.worker} and objsubid = 2 and granted
        and database = (select oid from pg_database where datname = current_database())`,
  },
];
