import { Logger, parseCronItems, run, type Runner, type TaskList } from "graphile-worker";
import type pg from "pg";
import { debitJobs } from "#features/debits/jobs.ts";
import { paymentJobs } from "#features/payments/jobs.ts";
import { patienceMs, type Till } from "#features/payments/till.ts";
import { openDatabase } from "#server/database.ts";
import type { Job } from "#server/jobs.ts";
import type { Clock } from "#server/serve.ts";

const jobsOf = (till: Omit<Till, "db" | "now">): Job[] => [...debitJobs, ...paymentJobs(till)];

/**
 * Do the features' jobs at their hours until stopped; any number of workers share them, each job
 * runs once. What fails is tried again with growing pauses.
 */
export async function startWorker(
  pool: pg.Pool,
  now: Clock,
  log: (line: string) => void,
  cards: Pick<Till, "secret" | "publicUrl" | "sandboxes">,
): Promise<Runner> {
  const jobs = jobsOf({ ...cards, limits: true, timeoutMs: patienceMs, log });
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
    concurrency: 4,
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
