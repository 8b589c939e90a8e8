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
import { jobsUnderWay } from "#server/jobs-under-way.ts";
import type { Job, Surroundings } from "#server/jobs.ts";
import { holdRollCall, type RollCall } from "#server/roll-call.ts";

export interface JobQueue {
  /** The job runner at work: jobs can be added to it out of turn. */
  runner(): Runner;
  stop(): Promise<void>;
}

/** A job runner, and how it stands with it. */
interface Shift {
  runner: Runner;
  /** Resolves when it is of no use any more. */
  broken: Promise<void>;
  /** Ends it, and waits for the jobs that it still does. */
  end(): Promise<void>;
}

/** What every shift works with. */
interface Plan {
  jobs: Job[];
  /** Null leaves telling of failures to the log of the job runner itself. */
  watch: JobWatch | null;
  rollCall: RollCall;
}

const pauseMs = 1_000;
/** A runner that lost its database may wait for its own end for ever. */
const endPatienceMs = 5_000;

/**
 * Do jobs at their hours until stopped. When the database goes away, the job runner cannot say which
 * jobs it has done, nor knows whether it was given one: another one takes its place, and the roll
 * call frees what the first one held once it has stopped working.
 */
export async function openJobQueue(
  around: Surroundings,
  jobs: Job[],
  watch: JobWatch | null,
): Promise<JobQueue> {
  const rollCall = holdRollCall(around.sessions.options.connectionString ?? "", around.log);
  const plan: Plan = { jobs, watch, rollCall };
  const stopping = new AbortController();
  const stopped = new Promise<void>((tell) =>
    stopping.signal.addEventListener("abort", () => tell()),
  );
  let shift = await beginShift(around, plan);
  const kept = keep();

  async function keep(): Promise<void> {
    for (;;) {
      await Promise.race([shift.broken, stopped]);
      if (stopping.signal.aborted) return await shift.end();
      void shift.end();
      await startAgain();
    }
  }

  async function startAgain(): Promise<void> {
    let isTold = false;
    while (!stopping.signal.aborted) {
      await after(pauseMs);
      try {
        shift = await beginShift(around, plan);
        around.log("The job runner had lost its database; another one has taken its place.");
        return;
      } catch (problem) {
        if (!isTold) around.log(`The job runner cannot be started: ${String(problem)}`);
        isTold = true; // once, until it works again
      }
    }
  }

  return {
    runner: () => shift.runner,
    stop: async () => {
      stopping.abort();
      await kept;
      await rollCall.close();
    },
  };
}

async function beginShift(around: Surroundings, plan: Plan): Promise<Shift> {
  const { jobs, watch, rollCall } = plan;
  const events: WorkerEvents = new EventEmitter();
  watch?.(events);
  const underWay = jobsUnderWay(events);
  let name = "";
  events.once("pool:create", ({ workerPool }) => (name = workerPool.id));
  const failed = new Promise<void>((tell) => {
    events.once("pool:fatalError", () => tell()).once("worker:getJob:error", () => tell());
  });
  const runner = await startRunner(around, plan, events);
  const ended = runner.promise.catch(() => undefined); // it has told the log
  const shift = {
    runner,
    broken: Promise.race([failed, ended]),
    end: async () => {
      runner.stop().catch(() => undefined); // it may have ended by itself
      await underWay.none();
      await Promise.race([ended, after(endPatienceMs, undefined, { ref: false })]);
      rollCall.leave(name);
    },
  };
  try {
    for (const job of jobs) if (job.atStart) await runner.addJob(job.name, {}, alone(job));
    return shift;
  } catch (problem) {
    void shift.end();
    throw problem;
  }
}

async function startRunner(
  around: Surroundings,
  { jobs, watch, rollCall }: Plan,
  events: WorkerEvents,
): Promise<Runner> {
  return await run({
    events,
    pgPool: around.sessions,
    taskList: tasksOf(around, jobs),
    parsedCronItems: parseCronItems(jobs.map(cronItemOf)),
    concurrency: 4,
    noHandleSignals: true,
    gracefulShutdownAbortTimeout: 0, // long runs are told at once when the worker stops
    preset: {
      plugins: [rollCall.plugin],
      // Signed off in batches, if only of one: a batch that fails is told, a single job ends the process.
      worker: { completeJobBatchDelay: 0, failJobBatchDelay: 0 },
    },
    logger: new Logger(() => (level, message) => {
      const isWatched = watch !== null && message.startsWith("Failed task");
      if ((level === "error" || level === "warning") && !isWatched) around.log(message);
    }),
  });
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
