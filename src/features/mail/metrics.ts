import { ageOf, type Tally } from "#ops/metric-query.ts";

export const mailTallies: Tally[] = [
  {
    figures: {
      mails_queued: "Mail that waits to be sent",
      mails_oldest_queued_seconds: "How long the oldest of it has waited",
    },
    sql: `
      select count(*) as mails_queued, ${ageOf("min(created_at)")} as mails_oldest_queued_seconds
      from mails where status = 'queued'`,
  },
  {
    figures: { mails_given_up: "Mail that was given up after three days, ever" },
    sql: "select count(*) as mails_given_up from mails where status = 'gave_up'",
  },
];
