import { ageInSeconds, type MetricQuery } from "#kit/ops/metric-query.ts";

export const mailMetrics: MetricQuery[] = [
  {
    metrics: {
      mails_queued: "Emails waiting to be sent",
      mails_oldest_queued_seconds: "How long the oldest queued email has waited",
    },
    sql: `
      select count(*) as mails_queued, ${ageInSeconds("min(created_at)")} as mails_oldest_queued_seconds
      from mails where status = 'queued'`,
  },
  {
    metrics: {
      mails_given_up:
        "All emails given up after three days, without those refused by the recipient's server",
    },
    sql: "select count(*) as mails_given_up from mails where status = 'gave_up' and refusal is null",
  },
];
