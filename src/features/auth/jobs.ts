import type { Job } from "#jobs/job.ts";
import { purgeSignIns } from "#features/auth/purge.ts";

export const authJobs: Job[] = [
  {
    name: "remove-ended-sessions-and-links",
    cron: "50 * * * *",
    run: async ({ db }, stopping) => await purgeSignIns(db, stopping),
  },
];
