import { ageInSeconds, type MetricQuery } from "#kit/ops/metric-query.ts";

const waits = "j.state in ('created', 'retry')";

/** Recurring jobs, from the job queue's own tables. Reports have their own figures. */
export const jobMetrics: MetricQuery[] = [
  {
    label: "task",
    metrics: {
      jobs_queued: "Waiting jobs, including those to be retried",
      jobs_running: "Running jobs",
      jobs_retrying: "Jobs that failed and will be retried",
      jobs_oldest_waiting_seconds: "How long the oldest due job has waited",
    },
    sql: `
      select j.name as label,
        count(*) filter (where ${waits}) as jobs_queued,
        count(*) filter (where j.state = 'active') as jobs_running,
        count(*) filter (where j.state = 'retry' or j.retry_count > 1) as jobs_retrying, -- those being tried again, too
        ${ageInSeconds(`min(j.start_after) filter (where ${waits} and j.start_after <= now())`)} as jobs_oldest_waiting_seconds
      from pgboss.job j join pgboss.schedule s on s.name = j.name
      where j.state in ('created', 'retry', 'active') group by j.name`,
  },
  {
    label: "task",
    metrics: {
      jobs_last_scheduled_timestamp_seconds: "When a worker last put the job into the queue",
    },
    sql: `
      select data ->> 'name' as label,
        extract(epoch from max(created_on))::float8 as jobs_last_scheduled_timestamp_seconds
      from pgboss.job where name = '__pgboss__send-it' group by label`,
  },
  {
    metrics: {
      jobs_ahead_seconds:
        "How far the job queue's time stamps are in the future, by the database's clock",
    },
    sql: `
      select greatest(0, extract(epoch from max(cron_on) - now()))::float8 as jobs_ahead_seconds
      from pgboss.version`,
  },
  {
    metrics: { job_workers: "Worker processes that take jobs" },
    sql: `
      select count(*) as job_workers from pg_stat_activity
      where datname = current_database() and application_name = 'referral-network jobs'`,
  },
];
