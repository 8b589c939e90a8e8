import { Logger, parseCronItems, run, type Runner, type TaskList } from "graphile-worker";
import { attorneyJobs } from "#features/attorneys/jobs.ts";
import { debitJobs } from "#features/debits/jobs.ts";
import { mailJobs } from "#features/mail/jobs.ts";
import { paymentJobs } from "#features/payments/jobs.ts";
import type { SandboxAddresses } from "#features/payments/till.ts";
import { sendChanges } from "#features/realtime/sender.ts";
import { openExportDesk } from "#features/reports/desk.ts";
import { reportJobs } from "#features/reports/jobs.ts";
import type { Job, Surroundings } from "#server/jobs.ts";
import { holdRollCall } from "#server/roll-call.ts";

export interface Worker {
  /** The queue itself: jobs can be added to it out of turn. */
  runner: Runner;
  stop(): Promise<void>;
}

/**
 * Do the features' jobs at their hours and prepare reports until stopped; any number of workers
 * share them, each job runs once. What fails is tried again with growing pauses.
 */
export async function startWorker(
  around: Surroundings,
  sandboxes: SandboxAddresses | null = null,
): Promise<Worker> {
  const jobs: Job[] = [
    ...debitJobs,
    ...attorneyJobs,
    ...mailJobs,
    ...reportJobs,
    ...paymentJobs(sandboxes),
  ];
  const sender = sendChanges(around.db, around.log);
  const taskList: TaskList = Object.fromEntries(
    jobs.map((job) => [job.name, async (_, { abortSignal }) => await job.run(around, abortSignal)]),
  );
  const rollCall = holdRollCall(around.pool.options.connectionString ?? "", around.log);
  const runner = await run({
    preset: { plugins: [rollCall.plugin] },
    pgPool: around.pool,
    taskList,
    parsedCronItems: parseCronItems(
      jobs.map((job) => ({
        task: job.name,
        match: job.cron,
        options: { backfillPeriod: 0, ...alone(job) },
      })),
    ),
    concurrency: 4,
    noHandleSignals: true,
    gracefulShutdownAbortTimeout: 0, // long runs are told at once when the worker stops
    logger: new Logger(() => (level, message) => {
      if (level === "error" || level === "warning") around.log(message);
    }),
  });
  for (const job of jobs) {
    if (job.atStart) await runner.addJob(job.name, {}, alone(job));
  }
  const desk = openExportDesk(around);
  return {
    runner,
    stop: async () => {
      await Promise.all([desk.close(), runner.stop()]);
      await rollCall.close();
      await sender.close();
    },
  };
}

/**
 * One run of a job at a time, and at most one more waiting: what takes longer than its interval,
 * such as sending to a mail server that hangs, does not take the other jobs' places.
 */
const alone = (job: Job) => ({ queueName: job.name, jobKey: job.name });
