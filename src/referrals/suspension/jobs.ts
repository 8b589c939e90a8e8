import type { Job } from "#kit/jobs/job.ts";
import { queueReminders } from "#referrals/suspension/reminders.ts";
import { reviewEveryNetwork } from "#referrals/suspension/suspension.ts";

export const suspensionJobs: Job[] = [
  {
    // Every hour, since a network's day may just have turned. Source: domain rules §6.
    name: "review-suspensions",
    cron: "0 * * * *",
    atStart: true,
    run: async ({ db, now }) => await reviewEveryNetwork(db, now().toString()),
  },
  {
    // Every hour, since a network's day may just have turned; each reminder is made once.
    name: "remind-of-reports",
    cron: "10 * * * *",
    atStart: true,
    run: async ({ db, now }) => await queueReminders(db, now().toString()),
  },
];
