import type { Job } from "#jobs/job.ts";
import { reviewEveryNetwork } from "#features/suspension/suspension.ts";

/** Every hour, review the suspensions of every network: its day may just have turned. Domain rules §6. */
export const attorneyJobs: Job[] = [
  {
    name: "review-suspensions",
    cron: "0 * * * *",
    atStart: true,
    run: async ({ db, now }) => await reviewEveryNetwork(db, now().toString()),
  },
];
