import type { Runner } from "graphile-worker";
import { attorneyJobs } from "#features/attorneys/jobs.ts";
import { debitJobs } from "#features/debits/jobs.ts";
import { mailJobs } from "#features/mail/jobs.ts";
import { paymentJobs } from "#features/payments/jobs.ts";
import type { SandboxAddresses } from "#features/payments/till.ts";
import { sendChanges } from "#features/realtime/sender.ts";
import { openExportDesk } from "#features/reports/desk.ts";
import { reportJobs } from "#features/reports/jobs.ts";
import { openJobQueue } from "#server/job-queue.ts";
import type { JobWatch } from "#server/job-watch.ts";
import type { Job, Surroundings } from "#server/jobs.ts";

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
