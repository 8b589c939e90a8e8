import "#main/reports.ts";
import { apiTokenJobs } from "#access/tokens/jobs.ts";
import { authJobs } from "#access/sign-in/jobs.ts";
import { suspensionJobs } from "#referrals/suspension/jobs.ts";
import { billingJobs } from "#dues/ledger/jobs.ts";
import { statementJobs } from "#dues/ledger/statements/jobs.ts";
import { mailJobs } from "#outgoing/mail/jobs.ts";
import { webhookJobs } from "#outgoing/webhooks/jobs.ts";
import { cardJobs } from "#cards/jobs.ts";
import type { SandboxAddresses } from "#cards/card-payment-context.ts";
import { broadcastChanges } from "#outgoing/realtime/broadcast-changes.ts";
import { prepareExportJob, exportJobs } from "#office/reports/jobs.ts";
import { openJobQueue } from "#kit/jobs/queue.ts";
import type { JobWatch } from "#kit/jobs/job-events.ts";
import type { Job, JobContext } from "#kit/jobs/job.ts";

export interface Worker {
  stop(): Promise<void>;
}

/** Jobs that run automatically at their hours. */
export const recurringJobs = (sandboxes: SandboxAddresses | null): Job[] => [
  ...billingJobs,
  ...suspensionJobs,
  ...statementJobs,
  ...mailJobs,
  ...webhookJobs,
  ...exportJobs,
  ...apiTokenJobs,
  ...cardJobs(sandboxes),
  ...authJobs,
];

/**
 * Run the features' jobs at their hours and prepare reports until stopped. Any number of workers share them; each job
 * runs once. Failed jobs are retried after growing pauses. `watch` is notified of each.
 */
export async function startWorker(
  context: JobContext,
  sandboxes: SandboxAddresses | null = null,
  watch: JobWatch | null = null,
): Promise<Worker> {
  const jobs = {
    recurring: recurringJobs(sandboxes),
    ordered: [prepareExportJob()],
  };
  const sender = broadcastChanges(context.db, context.log);
  const queue = await openJobQueue(context, jobs, watch);
  return {
    stop: async () => {
      await queue.stop();
      await sender.close();
    },
  };
}
