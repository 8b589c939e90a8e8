import { ageInSeconds, type MetricQuery } from "#kit/ops/metric-query.ts";

export const webhookMetrics: MetricQuery[] = [
  {
    metrics: {
      webhooks_queued: "Deliveries of webhooks that wait, those to be tried again included",
      webhooks_oldest_due_seconds: "How long the one longest due has waited beyond its time",
    },
    // An endpoint's earliest stands first in its index; those whose endpoint is off or given a rest are not due.
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
      webhooks_failed: "Deliveries given up after three days, of the last 30 days",
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
