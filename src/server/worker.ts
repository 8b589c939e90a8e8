import { Logger, parseCronItems, run, type Runner, type TaskList } from "graphile-worker";
import type pg from "pg";
import { attorneyJobs } from "#features/attorneys/jobs.ts";
import { debitJobs } from "#features/debits/jobs.ts";
import { openDatabase } from "#server/database.ts";
import type { Job } from "#server/jobs.ts";
import type { Clock } from "#server/serve.ts";

const jobs: Job[] = [...debitJobs, ...attorneyJobs];

/**
 * Do the features' jobs at their hours until stopped; any number of workers share them, each job
 * runs once. What fails is tried again with growing pauses.
 */
export async function startWorker(
  pool: pg.Pool,
  now: Clock,
  log: (line: string) => void,
): Promise<Runner> {
  const db = openDatabase(pool);
  const taskList: TaskList = Object.fromEntries(
    jobs.map((job) => [job.name, async () => await job.run(db, now)]),
  );
  const runner = await run({
    pgPool: pool,
    taskList,
    parsedCronItems: parseCronItems(
      jobs.map((job) => ({ task: job.name, match: job.cron, options: { backfillPeriod: 0 } })),
    ),
    concurrency: 2,
    noHandleSignals: true,
    logger: new Logger(() => (level, message) => {
      if (level === "error" || level === "warning") log(message);
    }),
  });
  for (const job of jobs) {
    if (job.atStart) await runner.addJob(job.name, {}, { jobKey: `start-${job.name}` });
  }
  return runner;
}
