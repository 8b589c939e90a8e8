import type { Runner } from "graphile-worker";
import { attorneyJobs } from "#features/suspension/jobs.ts";
import { debitJobs } from "#features/ledger/jobs.ts";
import { mailJobs } from "#features/mail/jobs.ts";
import { paymentJobs } from "#features/cards/jobs.ts";
import type { SandboxAddresses } from "#features/cards/card-payment-context.ts";
import { sendChanges } from "#features/realtime/sender.ts";
import { openExportDesk } from "#features/exports/export-workers.ts";
import { reportJobs } from "#features/exports/jobs.ts";
import { openJobQueue } from "#jobs/queue.ts";
import type { JobWatch } from "#jobs/job-events.ts";
import type { Job, Surroundings } from "#jobs/job.ts";

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
  around: Surroundings,
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
  const sender = sendChanges(around.db, around.log);
  const queue = await openJobQueue(around, jobs, watch);
  const desk = openExportDesk(around);
  return {
    get runner() {
      return queue.runner();
    },
    stop: async () => {
      await Promise.all([desk.close(), queue.stop()]);
      await sender.close();
    },
  };
}
