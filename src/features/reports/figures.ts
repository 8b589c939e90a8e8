import { ageOf, type Tally } from "#server/tally.ts";

export const reportTallies: Tally[] = [
  {
    figures: {
      exports_queued: "Reports that wait to be prepared",
      exports_running: "Reports being prepared",
      exports_oldest_queued_seconds: "How long the oldest waiting report has waited",
    },
    sql: `
      select count(*) filter (where status = 'queued') as exports_queued,
        count(*) filter (where status = 'running') as exports_running,
        ${ageOf("min(created_at) filter (where status = 'queued')")} as exports_oldest_queued_seconds
      from data_exports where status in ('queued', 'running')`,
  },
];
