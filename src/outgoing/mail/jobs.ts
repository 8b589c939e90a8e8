import type { Job } from "#kit/jobs/job.ts";
import { sendDueMail } from "#outgoing/mail/outbox.ts";
import { openPost } from "#outgoing/mail/post.ts";

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
