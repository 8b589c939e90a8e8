import "#main/reports.ts";
import { apiTokenJobs } from "#features/api-tokens/jobs.ts";
import { authJobs } from "#features/auth/jobs.ts";
import { suspensionJobs } from "#features/suspension/jobs.ts";
import { billingJobs } from "#features/ledger/jobs.ts";
import { statementJobs } from "#features/statements/jobs.ts";
import { mailJobs } from "#features/mail/jobs.ts";
import { webhookJobs } from "#features/webhooks/jobs.ts";
import { cardJobs } from "#features/cards/jobs.ts";
import type { SandboxAddresses } from "#features/cards/card-payment-context.ts";
import { broadcastChanges } from "#features/realtime/broadcast-changes.ts";
import { prepareExportJob, exportJobs } from "#features/exports/jobs.ts";
import { openJobQueue } from "#jobs/queue.ts";
import type { JobWatch } from "#jobs/job-events.ts";
import type { Job, JobContext } from "#jobs/job.ts";

export interface Worker {
  stop(): Promise<void>;
}

/** What is done by itself, at its hours. */
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
 * Do the features' jobs at their hours and prepare reports until stopped; any number of workers
 * share them, each job runs once. What fails is tried again with growing pauses. `watch` hears of it.
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
