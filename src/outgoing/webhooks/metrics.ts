import { ageInSeconds, type MetricQuery } from "#kit/ops/metric-query.ts";

export const webhookMetrics: MetricQuery[] = [
  {
    metrics: {
      webhooks_queued: "Waiting webhook deliveries, including retries",
      webhooks_oldest_due_seconds: "How long the longest due delivery is overdue",
    },
    // The index yields each endpoint's earliest delivery. Those of paused or switched-off endpoints are not due.
    sql: `
      select (select count(*) from webhook_deliveries where state = 'waiting') as webhooks_queued,
        ${ageInSeconds("min(due.next_attempt_at) filter (where due.next_attempt_at <= now())")} as webhooks_oldest_due_seconds
      from webhook_endpoints e cross join lateral (
        select next_attempt_at from webhook_deliveries d
        where d.network_id = e.network_id and d.endpoint_id = e.id and d.state = 'waiting'
        order by next_attempt_at, id limit 1
      ) as due
      where e.active and (e.not_before is null or e.not_before <= now())`,
  },
  {
    metrics: {
      webhooks_failed: "Deliveries of the last 30 days that were given up after three days",
    },
    sql: "select count(*) as webhooks_failed from webhook_deliveries where state = 'failed'",
  },
  {
    metrics: {
      webhook_endpoints_disabled:
        "Endpoints switched off because they failed for three days or are gone",
    },
    sql: `
      select count(*) as webhook_endpoints_disabled from webhook_endpoints where disabled_reason is not null`,
  },
];
