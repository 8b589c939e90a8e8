import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as after } from "node:timers/promises";
import { fromKysely, PgBoss } from "pg-boss";
import { Temporal } from "temporal-polyfill";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { databaseMetrics } from "#main/metrics.ts";
import { openJobQueue } from "#kit/jobs/queue.ts";
import { queueIn } from "#kit/jobs/send.ts";
import { startWorker, type Worker } from "#main/worker.ts";
import { makeNetwork } from "#tests/support/records/networks.ts";
import { makeAttorney } from "#tests/support/records/attorneys.ts";
import { makePlan } from "#main/demo/records/dues.ts";
import { makeEnrolment } from "#tests/support/records/dues.ts";
import { dueDatesOf } from "#tests/support/ledger.ts";
import { anApp, type RunningApp } from "#tests/support/running-app.ts";

let app: RunningApp;
beforeAll(async () => {
  app = await anApp({ asOwner: true });
});
afterAll(async () => await app.close());

const folder = mkdtempSync(join(tmpdir(), "worker-"));
afterAll(() => rmSync(folder, { recursive: true }));

const logged: string[] = [];
const timeout = { timeout: 45_000 };

const contextAt = (instant: string) => ({
  ...app,
  now: () => Temporal.Instant.from(instant),
  log: (line: string) => void logged.push(line),
  dataDir: folder,
  publicUrl: "",
});

/** A worker whose clock always shows this instant. */
const aWorker = (instant: string) => startWorker(contextAt(instant));

test("workers started together share the jobs, and immediately catch up on missed ones", async () => {
  const network = await makeNetwork(app.db);
  const enrolment = await makeEnrolment(
    app.db,
    await makeAttorney(app.db, network),
    await makePlan(app.db, network),
  );
  const workers = await Promise.all([1, 2, 3].map(() => aWorker("2026-03-31T12:00:00Z")));
  try {
    while ((await dueDatesOf(app.db, enrolment)).length < 3) await after(20);
    // A run that is stopped early counts as an attempt, and says so.
    await expect.poll(() => jobsLeft("bill-networks-whose-day-has-turned"), timeout).toEqual([]);
  } finally {
    await Promise.all(workers.map((worker) => worker.stop()));
  }
  expect(await dueDatesOf(app.db, enrolment)).toEqual(["2026-01-31", "2026-02-28", "2026-03-31"]);
  expect(logged).toEqual([]);
});

test("a restarted worker continues where the others stopped", async () => {
  const network = await makeNetwork(app.db);
  const enrolment = await makeEnrolment(
    app.db,
    await makeAttorney(app.db, network),
    await makePlan(app.db, network),
  );
  const worker = await aWorker("2026-04-30T12:00:00Z");
  try {
    while ((await dueDatesOf(app.db, enrolment)).length < 4) await after(20);
  } finally {
    await worker.stop();
  }
  expect((await dueDatesOf(app.db, enrolment)).at(-1)).toBe("2026-04-30");
});

describe("after a worker died", () => {
  let worker: Worker;
  afterAll(async () => {
    await worker.stop();
    await app.pool.query("delete from pgboss.job");
  });

  beforeAll(async () => {
    await (await aWorker("2026-04-30T12:00:00Z")).stop(); // this creates the queues
    await app.pool.query("delete from pgboss.job");
    await silentFor("1 minute", "review-suspensions");
    await silentFor("1 minute", "remove-expired-reports", "retry_count = 500");
    worker = await aWorker("2026-04-30T12:00:00Z");
  }, 60_000);

  test("its jobs are retried", async () => {
    await expect.poll(() => jobsLeft("review-suspensions"), timeout).toEqual([]);
  });

  test("a job that has failed hundreds of times is retried within five minutes", async () => {
    const seconds = async () => {
      const { rows } = await app.pool.query<{ pause: number }>(
        `select extract(epoch from start_after - now())::float8 as pause from pgboss.job
         where name = 'remove-expired-reports' and state = 'retry'`,
      );
      return rows[0]?.pause ?? Infinity;
    };
    await expect.poll(seconds, timeout).toBeLessThanOrEqual(300);
  });
});

test("a job whose worker is alive is not taken by another, however long it takes", async () => {
  let letGo = () => undefined as void;
  const held = new Promise<void>((resolve) => (letGo = resolve));
  const run = vi.fn(async () => await held);
  const recurring = [{ name: "held-up", cron: "0 0 1 1 *", atStart: true, run }];
  const queues = await Promise.all(
    [1, 2].map(() =>
      openJobQueue(contextAt("2026-04-30T12:00:00Z"), { recurring, ordered: [] }, null),
    ),
  );
  try {
    const wouldBeDead = async () => {
      const { rowCount } = await app.pool.query(
        `select from pgboss.job where name = 'held-up' and state = 'active'
          and heartbeat_on > started_on + heartbeat_seconds * interval '1.2 seconds'`,
      );
      return rowCount === 1;
    };
    await expect.poll(wouldBeDead, { timeout: 60_000 }).toBe(true);
    expect(run).toHaveBeenCalledOnce();
  } finally {
    letGo();
    await Promise.all(queues.map((queue) => queue.stop()));
  }
});

test("a failed job still runs at its next hour, and is listed once", async () => {
  let isMended = false;
  const run = vi.fn(async () => {
    if (!isMended) throw new Error("It is broken.");
  });
  const recurring = [{ name: "broken", cron: "0 0 1 1 *", atStart: true, run }];
  const queue = await openJobQueue(
    contextAt("2026-04-30T12:00:00Z"),
    { recurring, ordered: [] },
    null,
  );
  try {
    await expect.poll(() => jobsLeft("broken"), timeout).toEqual(["retry"]);
    await app.pool.query(
      "update pgboss.job set start_after = now() + interval '5 hours' where name = 'broken'",
    );
    const before = run.mock.calls.length;
    await (await queueIn(app.db)).send("broken", null);
    await expect.poll(() => jobsLeft("broken"), timeout).toEqual(["retry", "failed"]);
    expect(await databaseMetrics(app.pool)()).toContain('jobs_retrying{task="broken"} 1');
    isMended = true;
    await (await queueIn(app.db)).send("broken", null);
    await expect.poll(() => run.mock.calls.length, timeout).toBe(before + 2);
  } finally {
    await queue.stop();
  }
});

test("a job whose completion cannot be saved stops neither the process nor the work", async () => {
  const worker = await aWorker("2026-04-30T12:00:00Z");
  const tasks = ["send-mail", "remove-expired-reports", "review-suspensions"];
  const left = async () => (await Promise.all(tasks.map(jobsLeft))).flat();
  try {
    await expect.poll(left, { timeout: 60_000 }).toEqual([]);
    await refuseSigningOff();
    for (const task of tasks) await (await queueIn(app.db)).send(task, null);
    await expect.poll(() => logged.some((line) => line.includes("The line is cut."))).toBe(true);
    await allowSigningOff();
    await expect.poll(left, { timeout: 60_000 }).toEqual([]);
    await expect
      .poll(() => logged, { timeout: 60_000 })
      .toContain("The job queue can use its database again.");
  } finally {
    await worker.stop();
  }
});

test("the queue stores only a failure's message, and nothing else from the error", async () => {
  const run = async () => {
    const detail = "Failing row contains (Ann, ann@example.com).";
    throw Object.assign(new Error("It was refused."), { detail, cause: new Error(detail) });
  };
  const context = contextAt("2026-04-30T12:00:00Z");
  const jobs = {
    recurring: [{ name: "refused-hourly", cron: "0 0 1 1 *", atStart: true, run }],
    ordered: [{ name: "refused-order", atOnce: 1, run }],
  };
  const queue = await openJobQueue(context, jobs, null);
  const kept = async (name: string) => {
    const { rows } = await app.pool.query<{ output: string }>(
      "select output::text from pgboss.job where name = $1 and output is not null",
      [name],
    );
    return rows[0]?.output ?? "";
  };
  try {
    await (await queueIn(app.db)).send("refused-order", null);
    for (const name of ["refused-hourly", "refused-order"]) {
      await expect.poll(() => kept(name), { timeout: 60_000 }).toContain("It was refused.");
      expect(await kept(name)).not.toContain("Ann");
    }
  } finally {
    await queue.stop();
  }
});

test("jobs continue, as operations.md says, after the database's clock was ahead and corrected", async () => {
  const page = readFileSync("docs/operations.md", "utf8");
  const [, emptied = ""] = /^### Clocks$[^]*?^```sql$([^]*?)^```$/m.exec(page) ?? [];
  await app.pool.query("update pgboss.version set cron_on = now() + interval '2 days'");
  await app.pool.query("update pgboss.queue set monitor_claim_on = now() + interval '2 days'");
  await silentFor("-2 days", "review-suspensions");
  expect(await secondsAheadNow()).toBeGreaterThan(86_400);
  await app.pool.query(emptied);
  const worker = await aWorker("2026-04-30T12:00:00Z");
  try {
    const doneSince = async () => {
      const { rowCount } = await app.pool.query(
        "select from pgboss.job where name = 'review-suspensions' and state = 'completed'",
      );
      return rowCount;
    };
    await expect.poll(doneSince, timeout).toBe(1);
    await expect.poll(secondsAheadNow, timeout).toBe(0);
  } finally {
    await worker.stop();
  }
});

test("hours missed while all workers were stalled are caught up on", async () => {
  const run = vi.fn(async () => undefined);
  const recurring = [{ name: "stood-still", cron: "0 0 1 1 *", atStart: true, run }];
  const lines: string[] = [];
  const log = (line: string) => void lines.push(line);
  const context = { ...contextAt("2026-04-30T12:00:00Z"), log };
  const queue = await openJobQueue(context, { recurring, ordered: [] }, null);
  const isLogged = async (words: string) =>
    await expect.poll(() => lines.join(), { timeout: 60_000 }).toContain(words);
  try {
    await expect.poll(() => run.mock.calls.length, timeout).toBe(1);
    await stallScheduler("2 hours");
    await app.pool.query("alter table pgboss.version rename to away");
    await isLogged("cannot use its database");
    await app.pool.query("alter table pgboss.away rename to version");
    await isLogged("can use its database again"); // so that it has checked
    await expect.poll(() => run.mock.calls.length, timeout).toBe(2);
    await resumeScheduler();
    await isLogged("All workers stopped for a while");
    await expect.poll(() => run.mock.calls.length, timeout).toBe(3);
  } finally {
    await queue.stop();
  }
});

test("the queue's tables match its library", async () => {
  const drift = await new PgBoss({ db: fromKysely(app.db) }).detectSchemaDrift();
  expect(drift).toMatchObject({ missingTables: [], missing: [], missingFunctions: [] });
  expect([drift.mismatched, drift.mismatchedFunctions, drift.columnDrift]).toEqual([[], [], []]);
  expect([drift.constraintDrift, drift.enumDrift]).toEqual([[], null]);
});

async function secondsAheadNow(): Promise<number> {
  const text = await databaseMetrics(app.pool)();
  return Number(/^jobs_ahead_seconds (\S+)$/m.exec(text)?.[1]);
}

/** Stops checking for due jobs, as if since some time ago. */
async function stallScheduler(interval: string): Promise<void> {
  await app.pool.query(`create function stand_still() returns trigger language plpgsql
    as $$ begin return null; end $$`);
  await app.pool.query(`create trigger stand_still before update on pgboss.version
    for each row when (new.cron_on > now() - interval '1 minute') execute function stand_still()`);
  await app.pool.query(`update pgboss.version set cron_on = now() - interval '${interval}'`);
}

async function resumeScheduler(): Promise<void> {
  await app.pool.query("drop function stand_still cascade");
}

async function refuseSigningOff(): Promise<void> {
  await app.pool.query(`create function refuse() returns trigger language plpgsql
    as $$ begin raise exception 'The line is cut.'; end $$`);
  await app.pool.query(`create trigger refuse before update or delete on pgboss.job_common
    for each row when (old.state = 'active') execute function refuse()`);
}

async function allowSigningOff(): Promise<void> {
  await app.pool.query("drop function refuse cascade");
}

/** A job begun an hour ago whose worker has been silent for some time. */
async function silentFor(interval: string, task: string, more = "retry_count = 0"): Promise<void> {
  await aJob(
    task,
    `state = 'active', started_on = now() - interval '1 hour',
     heartbeat_on = now() - interval '${interval}', ${more}`,
  );
}

/** A new job, even if one with the same name is waiting, which the queue would keep instead. */
async function aJob(task: string, change: string): Promise<void> {
  const boss = new PgBoss({ db: fromKysely(app.db) });
  let id = await boss.send(task, null, { startAfter: 3600 });
  while (id === null) {
    await app.pool.query("delete from pgboss.job where name = $1 and state = 'created'", [task]);
    id = await boss.send(task, null, { startAfter: 3600 });
  }
  await app.pool.query(`update pgboss.job set ${change} where id = $1`, [id]);
}

/** The states of this job's rows, except those that are done. */
async function jobsLeft(task: string): Promise<string[]> {
  const { rows } = await app.pool.query<{ state: string }>(
    "select state from pgboss.job where name = $1 and state <> 'completed' order by state",
    [task],
  );
  return rows.map(({ state }) => state);
}
