import { purgeIdempotencyKeys } from "#kit/http/idempotency.ts";
import type { Job } from "#kit/jobs/job.ts";

export const apiTokenJobs: Job[] = [
  {
    name: "purge-idempotency-keys",
    cron: "40 * * * *",
    run: async ({ db }) => await purgeIdempotencyKeys(db),
  },
];
