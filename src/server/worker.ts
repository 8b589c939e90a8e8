import { Logger, parseCronItems, run, type TaskList } from "graphile-worker";
import { debitJobs } from "#features/debits/jobs.ts";
import { sendChanges } from "#features/realtime/sender.ts";
import { openExportDesk } from "#features/reports/desk.ts";
import { reportJobs } from "#features/reports/jobs.ts";
import type { Job, Surroundings } from "#server/jobs.ts";

const jobs: Job[] = [...debitJobs, ...reportJobs];

/**
 * Do the features' jobs at their hours and prepare reports until stopped; any number of workers
 * share them, each job runs once. What fails is tried again with growing pauses.
 */
export async function startWorker(around: Surroundings): Promise<{ stop(): Promise<void> }> {
  const sender = sendChanges(around.db, around.log);
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
  const desk = openExportDesk(around);
  return {
    stop: async () => {
      await Promise.all([desk.close(), runner.stop()]);
      await sender.close();
    },
  };
}
