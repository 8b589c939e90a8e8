import { failureCauses } from "#office/reports/failures.ts";
import { ageInSeconds, type MetricQuery } from "#kit/ops/metric-query.ts";

export const exportMetrics: MetricQuery[] = [
  {
    metrics: {
      exports_queued: "Reports waiting to be prepared",
      exports_running: "Reports being prepared",
      exports_oldest_queued_seconds: "How long the oldest report has been waiting",
    },
    sql: `
      select count(*) filter (where status = 'queued') as exports_queued,
        count(*) filter (where status = 'running') as exports_running,
        ${ageInSeconds("min(created_at) filter (where status = 'queued')")} as exports_oldest_queued_seconds
      from data_exports where status in ('queued', 'running')`,
  },
  {
    label: "cause",
    metrics: {
      exports_day_failures:
        "Reports that failed in the last 24 hours and were not prepared since, without canceled ones",
    },
    // Every cause is present from the start.
    sql: `
      select cause as label, count(x.id) as exports_day_failures
      from unnest('{${failureCauses.join(",")}}'::text[]) as cause
      left join data_exports x on x.status = 'failed' and not x.is_cancelled
        and x.finished_at > now() - interval '24 hours' and coalesce(x.failure_cause, 'other') = cause
      group by cause order by cause`,
  },
];
