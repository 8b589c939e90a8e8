import type { Job } from "#jobs/job.ts";
import { removeExpired } from "#features/exports/removal.ts";
import { orderScheduled } from "#features/exports/schedules.ts";

export const reportJobs: Job[] = [
  {
    name: "order-scheduled-reports",
    cron: "*/5 * * * *",
    atStart: true,
    run: async ({ db, now }) => await orderScheduled(db, now().toString()),
  },
  {
    name: "remove-expired-reports",
    cron: "40 8 * * *",
    run: async ({ db, now, dataDir }) => await removeExpired(db, dataDir, now().toString()),
  },
];
