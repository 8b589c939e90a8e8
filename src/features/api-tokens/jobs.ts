import { purgeIdempotencyKeys } from "#http/idempotency.ts";
import type { Job } from "#jobs/job.ts";

export const apiTokenJobs: Job[] = [
  {
    name: "purge-idempotency-keys",
    cron: "40 * * * *",
    run: async ({ db }) => await purgeIdempotencyKeys(db),
  },
];
