import type { Job } from "#jobs/job.ts";
import { sendDueMail } from "#features/mail/outbox.ts";
import { openPost } from "#features/mail/post.ts";

export const mailJobs: Job[] = [
  {
    name: "send-mail",
    cron: "* * * * *",
    atStart: true,
    run: async ({ db, mail, dataDir, publicUrl }, stopping) => {
      await sendDueMail(db, openPost({ ...mail, dataDir, publicUrl }), stopping);
    },
  },
];
