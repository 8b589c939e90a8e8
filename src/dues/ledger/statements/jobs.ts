import type { Job } from "#kit/jobs/job.ts";
import { mailDueStatements } from "#dues/ledger/statements/mail-statements.ts";

export const statementJobs: Job[] = [
  {
    // Every hour, since a network's day may have just changed; after billing and reminders.
    name: "mail-statements",
    cron: "30 * * * *",
    atStart: true,
    run: async ({ db, now }, stopping) => await mailDueStatements(db, now().toString(), stopping),
  },
];
