import type { Job } from "#kit/jobs/job.ts";
import { runDailyBilling } from "#dues/ledger/daily-billing.ts";
import { countUnbilled } from "#dues/ledger/unbilled.ts";

/** Every hour, bill each network whose local day has changed. Source: domain rules §3. */
export const billingJobs: Job[] = [
  {
    name: "bill-networks-whose-day-has-turned",
    cron: "0 * * * *",
    atStart: true,
    run: async ({ db, sessions, now }, stopping) =>
      await runDailyBilling({ db, sessions, now }, stopping),
  },
  {
    // After the hour's billing. Not at a worker's start, when billing runs first.
    name: "count-what-is-not-billed",
    cron: "20 * * * *",
    run: async ({ db, now }, stopping) => await countUnbilled(db, now().toString(), stopping),
  },
];
