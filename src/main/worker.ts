import type { Runner } from "graphile-worker";
import { attorneyJobs } from "#features/suspension/jobs.ts";
import { debitJobs } from "#features/ledger/jobs.ts";
import { mailJobs } from "#features/mail/jobs.ts";
import { paymentJobs } from "#features/cards/jobs.ts";
import type { SandboxAddresses } from "#features/cards/card-payment-context.ts";
import { sendChanges } from "#features/realtime/sender.ts";
import { startExportWorkers } from "#features/exports/export-workers.ts";
import { reportJobs } from "#features/exports/jobs.ts";
import { openJobQueue } from "#jobs/queue.ts";
import type { JobWatch } from "#jobs/job-events.ts";
import type { Job, JobContext } from "#jobs/job.ts";

export interface Worker {
  /** The job runner at work: jobs can be added to it out of turn. */
  readonly runner: Runner;
  stop(): Promise<void>;
}

/**
 * Do the features' jobs at their hours and prepare reports until stopped; any number of workers
 * share them, each job runs once. What fails is tried again with growing pauses. `watch` hears of it.
 */
export async function startWorker(
  context: JobContext,
  sandboxes: SandboxAddresses | null = null,
  watch: JobWatch | null = null,
): Promise<Worker> {
  const jobs: Job[] = [
    ...debitJobs,
    ...attorneyJobs,
    ...mailJobs,
    ...reportJobs,
    ...paymentJobs(sandboxes),
  ];
  const sender = sendChanges(context.db, context.log);
  const queue = await openJobQueue(context, jobs, watch);
  const exportWorkers = startExportWorkers(context);
  return {
    get runner() {
      return queue.runner();
    },
    stop: async () => {
      await Promise.all([exportWorkers.close(), queue.stop()]);
      await sender.close();
    },
  };
}
