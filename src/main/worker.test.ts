import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as after } from "node:timers/promises";
import { Temporal } from "temporal-polyfill";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { databaseMetrics } from "#main/metrics.ts";
import { bringBackFutureJobs } from "#jobs/future-jobs.ts";
import { startWorker, type Worker } from "#main/worker.ts";
import { aNetwork, anAttorney } from "#tests/support/people.ts";
import { anEnrolment, aPlan, dueDatesOf } from "#tests/support/records.ts";
import { anApp, type RunningApp } from "#tests/support/running-app.ts";

let app: RunningApp;
beforeAll(async () => {
  app = await anApp();
});
afterAll(async () => await app.close());

const folder = mkdtempSync(join(tmpdir(), "worker-"));
afterAll(() => rmSync(folder, { recursive: true }));

const said: string[] = [];

/** A worker for which it is this instant all the time. */
const aWorker = (instant: string) =>
  startWorker({
    ...app,
    now: () => Temporal.Instant.from(instant),
    log: (line) => said.push(line),
    dataDir: folder,
    publicUrl: "",
    mail: { smtpUrl: null, from: "no-reply@example.test" },
  });

test("workers started together share the jobs, and make up at once for what was missed", async () => {
  const network = await aNetwork(app.db);
  const enrolment = await anEnrolment(
    app.db,
    await anAttorney(app.db, network),
    await aPlan(app.db, network),
  );
  const workers = await Promise.all([1, 2, 3].map(() => aWorker("2026-03-31T12:00:00Z")));
  try {
    while ((await dueDatesOf(app.db, enrolment)).length < 3) await after(20);
  } finally {
    await Promise.all(workers.map((worker) => worker.stop()));
  }
  expect(await dueDatesOf(app.db, enrolment)).toEqual(["2026-01-31", "2026-02-28", "2026-03-31"]);
  expect(said).toEqual([]);
});

test("a worker started again later goes on where the others left off", async () => {
  const network = await aNetwork(app.db);
  const enrolment = await anEnrolment(
    app.db,
    await anAttorney(app.db, network),
    await aPlan(app.db, network),
  );
  const worker = await aWorker("2026-04-30T12:00:00Z");
  try {
    while ((await dueDatesOf(app.db, enrolment)).length < 4) await after(20);
  } finally {
    await worker.stop();
  }
  expect((await dueDatesOf(app.db, enrolment)).at(-1)).toBe("2026-04-30");
});

describe("of a worker that died", () => {
  let worker: Worker;
  beforeAll(async () => {
    worker = await aWorker("2026-04-30T12:00:00Z");
    await startedLongAgo("of the living", await ownerOfRunningJob(worker));
    await startedLongAgo("of the dead", "worker-that-died");
    await startedLongAgo("ordered again", "worker-that-died");
    await orderAgain("ordered again");
    await startedLongAgo("at its last attempt", "worker-that-died", "max_attempts");
  }, 60_000);
  afterAll(async () => await worker.stop());

  const timeout = { timeout: 45_000 };

  test("jobs are taken up again, those of one that lives are not", async () => {
    await expect.poll(() => countJobs("of the dead"), timeout).toBe(0);
    expect(await countJobs("of the living")).toBe(1);
  });

  test("a job that was ordered again meanwhile is done once more, and leaves nothing", async () => {
    await expect.poll(() => countJobs("ordered again"), timeout).toBe(0);
  });

  test("a job that was at its last attempt is begun again: it did not fail", async () => {
    await expect.poll(() => countJobs("at its last attempt"), timeout).toBe(0);
  });
});

test("a job that was given up and ordered again leaves nothing", async () => {
  const worker = await aWorker("2026-04-30T12:00:00Z");
  try {
    await inAnHour("given up");
    await useUpAttempts("given up");
    await orderAgain("given up");
    await expect.poll(() => countJobs("given up"), { timeout: 45_000 }).toBe(0);
  } finally {
    await worker.stop();
  }
});

test("a job that cannot be signed off ends neither the process nor the work", async () => {
  const worker = await aWorker("2026-04-30T12:00:00Z");
  try {
    const { runner } = worker;
    await refuseSigningOff();
    for (const task of ["send-mail", "order-scheduled-reports", "review-suspensions"])
      await runner.addJob(task, {}, { jobKey: `unsigned ${task}` });
    await expect.poll(() => worker.runner !== runner).toBe(true);
    await allowSigningOff();
    const left = async () => (await jobsLeft()).filter((key) => key.startsWith("unsigned"));
    await expect.poll(left).toEqual([]);
  } finally {
    await worker.stop();
  }
});

test("recurring jobs that a clock ahead had put off are due again", async () => {
  const worker = await aWorker("2026-04-30T12:00:00Z");
  try {
    await putOff("send-mail", "2 days");
    await app.pool.query(
      `select graphile_worker.add_job('send-mail', queue_name => 'send-mail', job_key => 'send-mail',
        run_at => now() + interval '2 days')`,
    );
    await expect.poll(secondsAheadNow, { timeout: 30_000 }).toBe(0);
    await expect.poll(() => countJobs("send-mail"), { timeout: 30_000 }).toBe(0);
    const isSaid = () =>
      said.filter((line) => /ahead .* due again: send-mail\.$/.test(line)).length;
    await expect.poll(isSaid, { timeout: 30_000 }).toBeGreaterThan(0);
  } finally {
    await worker.stop();
  }
});

test("only what no right clock could have put off counts as in the future", async () => {
  await putOff("send-mail", "2 days");
  await putOff("review-suspensions", "30 seconds");
  await app.pool.query(`with made as (
      select id from graphile_worker.add_job('order-scheduled-reports', job_key => 'order-scheduled-reports'))
    select graphile_worker.reschedule_jobs(array_agg(id), run_at => now() + interval '6 hours', attempts => 10)
    from made`);
  expect(await secondsAheadNow()).toBeGreaterThan(86_400);
  expect(await bringBackFutureJobs(app.db)).toEqual(["send-mail"]);
  expect(await secondsAheadNow()).toBeLessThan(60);
});

/** As a worker does whose clock is so far ahead. */
async function putOff(task: string, ahead: string): Promise<void> {
  await app.pool.query(
    `update graphile_worker._private_known_crontabs set last_execution = now() + $2::interval
     where identifier = $1`,
    [task, ahead],
  );
}

async function secondsAheadNow(): Promise<number> {
  const text = await databaseMetrics(app.pool)();
  return Number(/^jobs_ahead_seconds (\S+)$/m.exec(text)?.[1]);
}

async function refuseSigningOff(): Promise<void> {
  await app.pool.query(`create function refuse() returns trigger language plpgsql
    as $$ begin raise exception 'The connection is lost.'; end $$`);
  await app.pool.query(`create trigger refuse before delete on graphile_worker._private_jobs
    for each row when (old.key like 'unsigned %') execute function refuse()`);
}

async function allowSigningOff(): Promise<void> {
  await app.pool.query("drop function refuse cascade");
}

/** By which name the queue knows a worker: it is held up in the middle of a job to see that. */
async function ownerOfRunningJob({ runner }: Worker): Promise<string> {
  const client = await app.pool.connect();
  await client.query("begin");
  await client.query("lock table mails");
  await runner.addJob("send-mail", {}, { jobKey: "held up" });
  const owner = async () => {
    const { rows } = await app.pool.query<{ locked_by: string | null }>(
      "select locked_by from graphile_worker.jobs where key = 'held up'",
    );
    return rows[0]?.locked_by;
  };
  const name = await vi.waitUntil(owner, { timeout: 60_000 });
  await client.query("rollback");
  client.release();
  return name;
}

/** A job in a queue of its own that this worker began a minute ago, in one step: others look on. */
async function startedLongAgo(key: string, workerId: string, attempts = "1"): Promise<void> {
  const { pool } = app;
  await inAnHour(key);
  const lock = `locked_at = now() - interval '1 minute', locked_by = $2`;
  await pool.query(
    `update graphile_worker._private_jobs set run_at = now(), attempts = ${attempts}, ${lock}
     where key = $1`,
    [key, workerId],
  );
  await pool.query(
    `insert into graphile_worker._private_job_queues (queue_name) values ($1) on conflict do nothing`,
    [key],
  );
  await pool.query(`update graphile_worker._private_job_queues set ${lock} where queue_name = $1`, [
    key,
    workerId,
  ]);
}

/** As a worker does when it starts, and the clock at the job's hours. */
async function orderAgain(key: string): Promise<void> {
  await app.pool.query(
    "select graphile_worker.add_job('send-mail', queue_name => $1, job_key => $1)",
    [key],
  );
}

async function inAnHour(key: string): Promise<void> {
  await app.pool.query(
    `select graphile_worker.add_job('send-mail', queue_name => $1, job_key => $1, run_at => now() + interval '1 hour')`,
    [key],
  );
}

async function useUpAttempts(key: string): Promise<void> {
  await app.pool.query(
    `update graphile_worker._private_jobs set attempts = max_attempts, last_error = 'It failed.' where key = $1`,
    [key],
  );
}

/** How many jobs there are in this queue, with a key or without. */
async function countJobs(queue: string): Promise<number> {
  const { rows } = await app.pool.query<{ count: number }>(
    "select count(*)::integer as count from graphile_worker.jobs where queue_name = $1",
    [queue],
  );
  return rows[0]?.count ?? Number.NaN;
}

async function jobsLeft(): Promise<string[]> {
  const { rows } = await app.pool.query<{ key: string }>(
    "select key from graphile_worker.jobs where key is not null",
  );
  return rows.map(({ key }) => key);
}
