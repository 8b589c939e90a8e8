import { ageInSeconds, type MetricQuery } from "#kit/ops/metric-query.ts";

export const mailMetrics: MetricQuery[] = [
  {
    metrics: {
      mails_queued: "Mail that waits to be sent",
      mails_oldest_queued_seconds: "How long the oldest of it has waited",
    },
    sql: `
      select count(*) as mails_queued, ${ageInSeconds("min(created_at)")} as mails_oldest_queued_seconds
      from mails where status = 'queued'`,
  },
  {
    metrics: {
      mails_given_up:
        "Mail that was given up after three days, ever; not what its recipient's server refused",
    },
    sql: "select count(*) as mails_given_up from mails where status = 'gave_up' and refusal is null",
  },
];
