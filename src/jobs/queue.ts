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
import { refuseWrongClock, WrongClock } from "#db/clock.ts";
import { bringBackFutureJobs } from "#jobs/future-jobs.ts";
import type { JobWatch } from "#jobs/job-events.ts";
import { jobsUnderWay } from "#jobs/running-jobs.ts";
import type { Job, JobContext } from "#jobs/job.ts";
import { watchWorkerLiveness, type WorkerLiveness } from "#jobs/worker-liveness.ts";

export interface JobQueue {
  /** The job runner at work: jobs can be added to it out of turn. */
  runner(): Runner;
  stop(): Promise<void>;
}

/** What made a job runner useless: it lost its database, or its clock jumped. */
type Breakdown = "database" | "clock";

/** A job runner, and how it stands with it. */
interface Shift {
  runner: Runner;
  /** Resolves when it is of no use any more. */
  broken: Promise<Breakdown>;
  /** Ends it, and waits for the jobs that it still does. */
  end(): Promise<void>;
}

/** What every shift works with. */
interface Plan {
  jobs: Job[];
  /** Null leaves telling of failures to the log of the job runner itself. */
  watch: JobWatch | null;
  rollCall: WorkerLiveness;
}

const pauseMs = 1_000;
/** How soon a clock that is wrong is noticed, and what it has put off. */
const clockEveryMs = 5_000;
/** A runner that lost its database may wait for its own end for ever. */
const endPatienceMs = 5_000;

/**
 * Do jobs at their hours until stopped. When the database goes away, the job runner cannot say which
 * jobs it has done, nor knows whether it was given one: another one takes its place, and the roll
 * call frees what the first one held once it has stopped working. While this process's clock is not
 * the database's no job is done here: its hours and days would be wrong, for all workers.
 */
export async function openJobQueue(
  context: JobContext,
  jobs: Job[],
  watch: JobWatch | null,
): Promise<JobQueue> {
  const rollCall = watchWorkerLiveness(
    context.sessions.options.connectionString ?? "",
    context.log,
  );
  const plan: Plan = { jobs, watch, rollCall };
  const stopping = new AbortController();
  const stopped = new Promise<void>((tell) =>
    stopping.signal.addEventListener("abort", () => tell()),
  );
  let shift = await beginShift(context, plan).catch(unlessClock);
  const kept = keep();

  function unlessClock(problem: unknown): null {
    if (!(problem instanceof WrongClock)) throw problem;
    context.log(sentenceOf(problem));
    return null;
  }

  async function keep(): Promise<void> {
    for (;;) {
      const why = shift ? await Promise.race([shift.broken, stopped]) : "clock";
      if (stopping.signal.aborted) return await shift?.end();
      void shift?.end();
      await startAgain(why, shift === null);
    }
  }

  async function startAgain(why: Breakdown | void, wasTold: boolean): Promise<void> {
    let isTold = wasTold;
    while (!stopping.signal.aborted) {
      await after(pauseMs);
      try {
        shift = await beginShift(context, plan);
        context.log(why === "clock" ? clockIsRight : databaseIsBack);
        return;
      } catch (problem) {
        if (!isTold) context.log(sentenceOf(problem));
        isTold = true; // once, until it works again
      }
    }
  }

  return {
    runner: () => {
      if (!shift) throw new Error("No job runner has been at work yet.");
      return shift.runner;
    },
    stop: async () => {
      stopping.abort();
      await kept;
      await rollCall.close();
    },
  };
}

const databaseIsBack = "The job runner had lost its database; another one has taken its place.";
const clockIsRight = "This machine's clock agrees with the database's: jobs are done again.";

function sentenceOf(problem: unknown): string {
  return problem instanceof WrongClock
    ? `${problem.message} No job is done here until that is put right.`
    : `The job runner cannot be started: ${String(problem)}`;
}

async function beginShift(context: JobContext, plan: Plan): Promise<Shift> {
  const { watch, rollCall } = plan;
  await refuseWrongClock(context.db);
  const events: WorkerEvents = new EventEmitter();
  watch?.(events);
  const underWay = jobsUnderWay(events);
  let name = "";
  events.once("pool:create", ({ workerPool }) => (name = workerPool.id));
  const failed = new Promise<Breakdown>((tell) => {
    events.once("pool:fatalError", () => tell("database"));
    events.once("worker:getJob:error", () => tell("database"));
    // A minute passed unseen: the clock jumped, or all stood still. It would make up for each.
    events.once("cron:overdueTimer", () => tell("clock"));
  });
  const runner = await startRunner(context, plan, events);
  const ended = runner.promise.catch(() => undefined).then(() => "database" as const); // it has told the log
  const over = new AbortController();
  const clockIsWrong = keepTime(context, plan, runner, over.signal);
  const shift = {
    runner,
    broken: Promise.race([failed, ended, clockIsWrong]),
    end: async () => {
      over.abort();
      runner.stop().catch(() => undefined); // it may have ended by itself
      await underWay.none();
      await Promise.race([ended, after(endPatienceMs, undefined, { ref: false })]);
      rollCall.leave(name);
    },
  };
  try {
    await bringBackFutureJobs(context.db);
    await addMissed(plan, runner);
    return shift;
  } catch (problem) {
    void shift.end();
    throw problem;
  }
}

async function addMissed({ jobs }: Plan, runner: Runner): Promise<void> {
  for (const job of jobs) if (job.atStart) await runner.addJob(job.name, {}, alone(job));
}

/**
 * Resolves when this process's clock is wrong. While it is right, what another one has put off is
 * brought back, as it may have by then already, and what was missed meanwhile is made up for.
 */
async function keepTime(
  { db, log }: JobContext,
  plan: Plan,
  runner: Runner,
  over: AbortSignal,
): Promise<Breakdown> {
  for (;;) {
    await after(clockEveryMs, undefined, { signal: over, ref: false }).catch(() => undefined);
    if (over.aborted) return "clock"; // nobody asks any more
    try {
      await refuseWrongClock(db);
      const late = await bringBackFutureJobs(db);
      if (late.length === 0) continue;
      log(`A clock that was ahead had put these jobs off; they are due again: ${late.join(", ")}.`);
      await addMissed(plan, runner);
    } catch (problem) {
      if (problem instanceof WrongClock) return "clock";
      // The database is away: the runner notices by itself.
    }
  }
}

async function startRunner(
  context: JobContext,
  { jobs, watch, rollCall }: Plan,
  events: WorkerEvents,
): Promise<Runner> {
  return await run({
    events,
    pgPool: context.sessions,
    taskList: tasksOf(context, jobs),
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
      if ((level === "error" || level === "warning") && !isWatched) context.log(message);
    }),
  });
}

function tasksOf(context: JobContext, jobs: Job[]): TaskList {
  return Object.fromEntries(
    jobs.map((job) => [
      job.name,
      async (_, { abortSignal }) => {
        await refuseWrongClock(context.db); // it may have jumped since it was looked at last
        await job.run(context, abortSignal);
      },
    ]),
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
