import { EventEmitter } from "node:events";
import { setTimeout as after } from "node:timers/promises";
import {
  type CronItem,
  Logger,
  parseCronItems,
  run,
  type Runner,
  type TaskList,
  type WorkerEvents,
} from "graphile-worker";
import type { JobWatch } from "#server/job-watch.ts";
import type { Job, Surroundings } from "#server/jobs.ts";
import { holdRollCall, type RollCall } from "#server/roll-call.ts";

export interface JobQueue {
  /** The job runner at work: jobs can be added to it out of turn. */
  runner(): Runner;
  stop(): Promise<void>;
}

const pauseMs = 1_000;

/**
 * Do jobs at their hours until stopped. When the database goes away, the job runner cannot say which
 * jobs it has done, nor knows whether it was given one: it ends, and another one takes its place.
 * The roll call frees what the first one held.
 */
export async function openJobQueue(
  around: Surroundings,
  jobs: Job[],
  watch: JobWatch | null,
): Promise<JobQueue> {
  const rollCall = holdRollCall(around.pool.options.connectionString ?? "", around.log);
  const stopping = new AbortController();
  let runner = await startRunner(around, { jobs, watch, rollCall });
  const kept = keep();

  async function keep(): Promise<void> {
    while (!stopping.signal.aborted) {
      await runner.promise.catch(() => undefined); // it has told the log
      if (!stopping.signal.aborted) await startAgain();
    }
    await end(runner);
  }

  async function startAgain(): Promise<void> {
    let isTold = false;
    while (!stopping.signal.aborted) {
      await after(pauseMs);
      try {
        runner = await startRunner(around, { jobs, watch, rollCall });
        around.log("The job runner had ended; another one has taken its place.");
        return;
      } catch (problem) {
        if (!isTold) around.log(`The job runner cannot be started: ${String(problem)}`);
        isTold = true; // once, until it works again
      }
    }
  }

  return {
    runner: () => runner,
    stop: async () => {
      stopping.abort();
      await end(runner);
      await kept;
      await rollCall.close();
    },
  };
}

/** Nothing to do when it has ended by itself. */
async function end(runner: Runner): Promise<void> {
  await runner.stop().catch(() => undefined);
  await runner.promise.catch(() => undefined);
}

async function startRunner(
  around: Surroundings,
  { jobs, watch, rollCall }: { jobs: Job[]; watch: JobWatch | null; rollCall: RollCall },
): Promise<Runner> {
  const events: WorkerEvents = new EventEmitter();
  watch?.(events);
  events.once("pool:release", ({ workerPool }) => rollCall.leave(workerPool.id));
  const runner = await run({
    events,
    pgPool: around.pool,
    taskList: tasksOf(around, jobs),
    parsedCronItems: parseCronItems(jobs.map(cronItemOf)),
    concurrency: 4,
    noHandleSignals: true,
    gracefulShutdownAbortTimeout: 0, // long runs are told at once when the worker stops
    // Signed off in batches, if only of one: a batch that fails ends the runner, a single job the process.
    preset: {
      plugins: [rollCall.plugin],
      worker: { completeJobBatchDelay: 0, failJobBatchDelay: 0 },
    },
    logger: new Logger(() => (level, message) => {
      const isWatched = watch !== null && message.startsWith("Failed task");
      if ((level === "error" || level === "warning") && !isWatched) around.log(message);
    }),
  });
  const giveUp = () => void runner.stop().catch(() => undefined); // it may be ending already
  events.once("worker:getJob:error", giveUp);
  try {
    for (const job of jobs) if (job.atStart) await runner.addJob(job.name, {}, alone(job));
    return runner;
  } catch (problem) {
    await end(runner);
    throw problem;
  }
}

function tasksOf(around: Surroundings, jobs: Job[]): TaskList {
  return Object.fromEntries(
    jobs.map((job) => [job.name, async (_, { abortSignal }) => await job.run(around, abortSignal)]),
  );
}

const cronItemOf = (job: Job): CronItem => ({
  task: job.name,
  match: job.cron,
  options: { backfillPeriod: 0, ...alone(job) },
});

/**
 * One run of a job at a time, and at most one more waiting: what takes longer than its interval,
 * such as sending to a mail server that hangs, does not take the other jobs' places.
 */
const alone = (job: Job) => ({ queueName: job.name, jobKey: job.name });
