import { setTimeout as after } from "node:timers/promises";
import { sql } from "kysely";
import { type JobWithMetadata, PgBoss } from "pg-boss";
import { refuseWrongClock, WrongClock } from "#kit/db/clock.ts";
import { type Db, openDatabase, openPool } from "#kit/db/database.ts";
import type { JobWatch } from "#kit/jobs/job-events.ts";
import type { JobContext, Jobs } from "#kit/jobs/job.ts";

/** How soon a wrong clock, a lost database or a standstill is noticed. */
const checkEveryMs = 5_000;
/** If a worker does not report on a job for this long, the job starts again, noticed by checks within 25 seconds. */
const heartbeatSeconds = 12;
const heartbeatEverySeconds = 3;
const superviseEverySeconds = 3;
const pollEverySeconds = 3;
/** The library looks back no further: an hour missed for longer is lost. */
const hoursMissedAfterSeconds = 60;
/** Longer than any job's interval, so that the last run is known until the next one. */
const retentionSeconds = 25 * 3600;

/** A job is retried until it succeeds or says itself that it must not run. None is given up. */
const commonSettings = {
  heartbeatSeconds,
  retryLimit: 1_000_000,
  retryDelay: 1,
  retryBackoff: true,
  expireInSeconds: 24 * 3600, // the maximum
  deleteAfterSeconds: retentionSeconds,
};

/**
 * One runs at a time over all workers, one waits, and one is to be retried. The next hour's runs even if an earlier
 * one failed. If it fails too, there is no place for it: the library marks it failed and continues with the earlier
 * one.
 */
const recurringSettings = { ...commonSettings, policy: "stately", retryDelayMax: 300 };
/** Same as in migration 0015. */
const orderedSettings = { ...commonSettings, policy: "standard", retryDelayMax: 15 };

type QueueSettings = typeof recurringSettings;

/** Where the queue's library records which recurring jobs are due. */
const cronQueue = "__pgboss__send-it";

/**
 * Run recurring and ordered jobs until stopped. Any number of workers share them. While this process's clock
 * differs from the database's, it runs no job, because its days would be wrong for all workers. `watch` is called
 * for each recurring job; without it, failures are logged.
 */
export async function openJobQueue(
  context: JobContext,
  jobs: Jobs,
  watch: JobWatch | null,
): Promise<{ stop(): Promise<void> }> {
  const stopping = new AbortController();
  let isDatabaseLost = false;
  const onDatabaseLost = (problem: unknown) => {
    const sentence = problem instanceof Error ? problem.message : String(problem);
    if (!isDatabaseLost) context.log(`The job queue cannot use its database: ${sentence}`);
    isDatabaseLost = true; // logged once, until it works again
  };
  const start = async () => await startQueue(context, jobs, watch, onDatabaseLost);
  let queue = await start().catch(unlessClock);
  /** As of the last check. */
  let hoursReadAt: number | null = null;
  /** What the previous queue is still finishing. */
  let ending: Promise<void> | undefined;
  const checking = checkRegularly();

  function unlessClock(problem: unknown): null {
    if (!(problem instanceof WrongClock)) throw problem;
    context.log(`${problem.message} No jobs run here until that is fixed.`);
    return null;
  }

  async function checkRegularly(): Promise<void> {
    for (;;) {
      const { signal } = stopping;
      await after(checkEveryMs, undefined, { signal, ref: false }).catch(() => undefined); // stopping
      if (signal.aborted) return;
      await checkOnce().catch((problem: unknown) => {
        if (!(problem instanceof WrongClock)) return onDatabaseLost(problem);
        if (!queue) return;
        unlessClock(problem);
        ending = queue.end().catch(onDatabaseLost);
        queue = null;
      });
    }
  }

  async function checkOnce(): Promise<void> {
    await refuseWrongClock(context.db);
    if (!queue) {
      queue = await start();
      hoursReadAt = null; // order what was missed until now
      context.log("This machine's clock agrees with the database's: jobs run again.");
    }
    const readAt = await whenHoursWereRead(queue.db);
    const wasAsleep = (readAt ?? 0) - (hoursReadAt ?? Infinity) > hoursMissedAfterSeconds;
    hoursReadAt = readAt;
    if (wasAsleep && !isDatabaseLost)
      context.log("All workers stopped for a while. Missed jobs will run now.");
    if (isDatabaseLost) context.log("The job queue can use its database again.");
    if (wasAsleep || isDatabaseLost) await queue.orderMissed();
    isDatabaseLost = false;
  }

  return {
    stop: async () => {
      stopping.abort();
      await checking;
      await queue?.end();
      await ending;
    },
  };
}

/** When any worker last checked which recurring jobs are due, in seconds; null: never. */
async function whenHoursWereRead(db: Db): Promise<number | null> {
  const { rows } = await sql<{ at: number | null }>`
    select extract(epoch from cron_on)::float8 as at from pgboss.version`.execute(db);
  return rows[0]?.at ?? null;
}

/** Take jobs on a separate connection, by which others see that a worker is running. */
async function startQueue(
  context: JobContext,
  jobs: Jobs,
  watch: JobWatch | null,
  onDatabaseLost: (problem: unknown) => void,
) {
  await refuseWrongClock(context.db);
  const pool = openPool({
    connectionString: context.sessions.options.connectionString ?? "",
    connections: 1,
    statementTimeoutMs: 20_000,
    purpose: "jobs",
  });
  const boss = new PgBoss({
    db: { executeSql: async (text, values) => await pool.query(text, values) },
    migrate: false, // its tables come from migrations/
    superviseIntervalSeconds: superviseEverySeconds,
    monitorIntervalSeconds: superviseEverySeconds,
    queueCacheIntervalSeconds: superviseEverySeconds,
    maintenanceIntervalSeconds: 600,
    flowIntervalSeconds: 3600, // none of our jobs waits for another
    cronMonitorIntervalSeconds: 5,
    cronWorkerIntervalSeconds: 2,
    clockMonitorIntervalSeconds: 5,
    monitorVacuum: false,
    reindex: false,
  });
  boss.on("error", ({ message }) => onDatabaseLost(message)); // some are not Errors, despite their type
  const ended = new AbortController();
  const queue = {
    db: openDatabase(pool),
    orderMissed: async () => {
      for (const { name, atStart } of jobs.recurring) if (atStart) await boss.send(name);
    },
    /** Ask its jobs to end, and wait for them. */
    end: async () => {
      ended.abort();
      await boss.stop({ timeout: 24 * 3600_000 });
      await pool.end();
    },
  };
  try {
    await boss.start();
    await setUpQueues(boss, jobs);
    await queue.orderMissed();
    await takeJobs(boss, context, jobs, { watch, stopping: ended.signal });
    return queue;
  } catch (problem) {
    await queue.end();
    throw problem;
  }
}

/** Set up all queues, including those that an earlier version created differently. */
async function setUpQueues(boss: PgBoss, { recurring, ordered }: Jobs): Promise<void> {
  await boss.updateQueue(cronQueue, { deleteAfterSeconds: retentionSeconds });
  for (const { name } of ordered) await makeQueue(boss, name, orderedSettings);
  for (const { name, cron } of recurring) {
    await makeQueue(boss, name, recurringSettings);
    await boss.schedule(name, cron);
  }
}

async function makeQueue(boss: PgBoss, name: string, settings: QueueSettings): Promise<void> {
  const { policy, ...others } = settings; // the policy cannot be changed later
  await boss.createQueue(name, { policy, ...others });
  await boss.updateQueue(name, others);
}

async function takeJobs(
  boss: PgBoss,
  context: JobContext,
  { recurring, ordered }: Jobs,
  { watch, stopping }: { watch: JobWatch | null; stopping: AbortSignal },
): Promise<void> {
  const settings = {
    includeMetadata: true,
    heartbeatRefreshSeconds: heartbeatEverySeconds,
  } as const;
  for (const job of recurring)
    await boss.work(
      job.name,
      { ...settings, pollingIntervalSeconds: pollEverySeconds },
      async (taken) => {
        for (const one of taken)
          await runWatched(context, watch, one, () => job.run(context, stopping));
      },
    );
  for (const { name, atOnce, run } of ordered)
    await boss.work(
      name,
      { ...settings, pollingIntervalSeconds: 1, localConcurrency: atOnce },
      async (taken) => {
        for (const { data } of taken) await run(context, data, stopping).catch(rethrowSentence);
      },
    );
}

async function runWatched(
  context: JobContext,
  watch: JobWatch | null,
  { name: task, id, retryCount }: JobWithMetadata<unknown>,
  work: () => Promise<void>,
): Promise<void> {
  const begun = performance.now();
  const problem = await refuseWrongClock(context.db) // the clock may have jumped since the last check
    .then(work)
    .then(() => null)
    .catch((reason: unknown) =>
      reason instanceof Error ? reason : new Error("It threw no error."),
    );
  watch?.({ task, id, attempt: retryCount + 1, ms: performance.now() - begun, problem });
  if (!problem) return;
  if (!watch) context.log(`The job ${task} failed: ${problem.message}`);
  rethrowSentence(problem);
}

/**
 * The queue stores everything that an error carries, such as the rows of a refused statement. Pass on only the
 * sentence.
 */
function rethrowSentence(problem: unknown): never {
  throw new Error(problem instanceof Error ? problem.message : "It threw no error.");
}
