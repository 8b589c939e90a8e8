import type { Job } from "#kit/jobs/job.ts";
import { sendDueMail } from "#outgoing/mail/outbox.ts";
import { openMailTransport } from "#outgoing/mail/mail-transport.ts";

export const mailJobs: Job[] = [
  {
    name: "send-mail",
    cron: "* * * * *",
    atStart: true,
    run: async ({ db, mail, dataDir, publicUrl }, stopping) => {
      await sendDueMail(db, openMailTransport({ ...mail, dataDir, publicUrl }), stopping);
    },
  },
];
