import type { Job } from "#kit/jobs/job.ts";
import { reviewEmailChanges } from "#access/sign-in/apply-email-changes.ts";
import { purgeSignIns } from "#access/sign-in/purge.ts";
import { removeOldTraces } from "#access/sign-in/sign-in-events.ts";

export const authJobs: Job[] = [
  {
    name: "remove-ended-sessions-and-links",
    cron: "50 * * * *",
    run: async ({ db }, stopping) => await purgeSignIns(db, stopping),
  },
  {
    name: "apply-email-changes",
    cron: "35 * * * *",
    atStart: true,
    run: async ({ db }, stopping) => await reviewEmailChanges(db, stopping),
  },
  {
    name: "remove-old-sign-ins-from-activity",
    cron: "55 8 * * *",
    run: async ({ db }, stopping) => await removeOldTraces(db, stopping),
  },
];
