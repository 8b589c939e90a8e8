import type { Job } from "#jobs/job.ts";
import { sendDueMail } from "#features/mail/outbox.ts";
import { openPost } from "#features/mail/post.ts";
import { queueReminders } from "#features/mail/reminders.ts";

export const mailJobs: Job[] = [
  {
    name: "send-mail",
    cron: "* * * * *",
    atStart: true,
    run: async ({ db, mail, dataDir, publicUrl }, stopping) => {
      await sendDueMail(db, openPost({ ...mail, dataDir, publicUrl }), stopping);
    },
  },
  {
    // Every hour, since a network's day may just have turned; each reminder is made once.
    name: "remind-of-reports",
    cron: "10 * * * *",
    atStart: true,
    run: async ({ db, now }) => await queueReminders(db, now().toString()),
  },
];
