import { Logger, parseCronItems, run, type Runner, type TaskList } from "graphile-worker";
import { debitJobs } from "#features/debits/jobs.ts";
import { paymentJobs } from "#features/payments/jobs.ts";
import type { SandboxAddresses } from "#features/payments/till.ts";
import type { Job, Surroundings } from "#server/jobs.ts";

/**
 * Do the features' jobs at their hours until stopped; any number of workers share them, each job
 * runs once. What fails is tried again with growing pauses.
 */
export async function startWorker(
  around: Surroundings,
  sandboxes: SandboxAddresses | null,
): Promise<Runner> {
  const jobs: Job[] = [...debitJobs, ...paymentJobs(sandboxes)];
  const taskList: TaskList = Object.fromEntries(
    jobs.map((job) => [job.name, async () => await job.run(around)]),
  );
  const runner = await run({
    pgPool: around.pool,
    taskList,
    parsedCronItems: parseCronItems(
      jobs.map((job) => ({ task: job.name, match: job.cron, options: { backfillPeriod: 0 } })),
    ),
    concurrency: 4,
    noHandleSignals: true,
    logger: new Logger(() => (level, message) => {
      if (level === "error" || level === "warning") around.log(message);
    }),
  });
  for (const job of jobs) {
    if (job.atStart) await runner.addJob(job.name, {}, { jobKey: `start-${job.name}` });
  }
  return runner;
}
