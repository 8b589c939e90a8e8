import type { MetricQuery } from "#kit/ops/metric-query.ts";

export const billingMetrics: MetricQuery[] = [
  {
    metrics: {
      billing_last_finished_timestamp_seconds: "When the most recently started billing run ended",
      billing_last_duration_seconds: "How long that run took",
      billing_last_debits: "How many debits it created",
    },
    sql: `
      select extract(epoch from finished_at)::float8 as billing_last_finished_timestamp_seconds,
        extract(epoch from finished_at - started_at)::float8 as billing_last_duration_seconds,
        debits as billing_last_debits
      from billing_runs where finished_at is not null
      order by started_at desc limit 1`,
  },
  {
    metrics: {
      billing_day_runs: "Billing runs started in the last 24 hours",
      billing_day_debits: "Debits that they created",
      billing_day_failures: "Failures in them: steps rolled back and left for the next run",
    },
    sql: `
      select count(*) as billing_day_runs, coalesce(sum(debits), 0)::float8 as billing_day_debits,
        coalesce(sum(failures), 0)::float8 as billing_day_failures
      from billing_runs where started_at > now() - interval '24 hours'`,
  },
  {
    metrics: {
      billing_networks_failing:
        "Networks that could not be billed at the last attempt, while the others were",
    },
    sql: `
      select count(*) as billing_networks_failing from billing_progress
      where failed_at is not null`,
  },
  {
    metrics: {
      unbilled_debits: "Debits due and not billed, as last counted: 0 unless something is wrong",
      unbilled_networks: "Networks with such debits",
      unbilled_oldest_count_timestamp_seconds:
        "When the network with the oldest count was counted, or created if it never was",
    },
    // Includes networks never counted, so an alert sees them.
    sql: `
      select coalesce(sum(c.debits), 0)::float8 as unbilled_debits,
        count(*) filter (where c.debits > 0) as unbilled_networks,
        extract(epoch from coalesce(min(coalesce(c.counted_at, n.created_at)), now()))::float8
          as unbilled_oldest_count_timestamp_seconds
      from networks n left join unbilled_counts c on c.network_id = n.id`,
  },
];
