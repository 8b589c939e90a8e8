import { randomBytes } from "node:crypto";
import { writeFileSync } from "node:fs";
import { sql } from "kysely";
import { Registry } from "prom-client";
import { Temporal } from "temporal-polyfill";
import { describe, expect } from "vitest";
import { plainDate } from "#kit/domain/calendar.ts";
import { runBilling } from "#dues/ledger/billing-run.ts";
import { countUnbilled } from "#dues/ledger/unbilled.ts";
import { openPool } from "#kit/db/database.ts";
import { databaseMetrics } from "#main/metrics.ts";
import { watchJobs } from "#kit/jobs/job-events.ts";
import { openLog } from "#kit/ops/log.ts";
import { createWorkerHealth } from "#kit/http/worker-health.ts";
import { startWorker } from "#main/worker.ts";
import { makeNetwork } from "#tests/support/records/networks.ts";
import { makeAttorney } from "#tests/support/records/attorneys.ts";
import { makePlan } from "#main/demo/records/dues.ts";
import { makeEnrolment } from "#tests/support/records/dues.ts";
import { anApp } from "#tests/support/running-app.ts";
import { app, appTest, network } from "#tests/support/app-test.ts";

const test = appTest({ network: { timeZone: "UTC" } });

/** The present figures, by name and label. */
async function figures(): Promise<Record<string, number>> {
  return valuesIn(await databaseMetrics(app.pool)());
}

function valuesIn(text: string): Record<string, number> {
  const lines = text.split("\n").filter((line) => line !== "" && !line.startsWith("#"));
  return Object.fromEntries(
    lines.map((line) => {
      const space = line.lastIndexOf(" ");
      return [line.slice(0, space), Number(line.slice(space + 1))];
    }),
  );
}

async function someoneEnrolled(): Promise<void> {
  await makeEnrolment(app.db, await makeAttorney(app.db, network), await makePlan(app.db, network));
}

describe("the database's metrics", () => {
  test("have each figure once, with help text, and no network or person in the labels", async () => {
    const text = await databaseMetrics(app.pool)();
    const names = [...text.matchAll(/^# HELP (\S+) .+$/gm)].map(([, name]) => name);
    expect(new Set(names).size).toBe(names.length);
    expect(names).toContain("card_payments_oldest_unknown_seconds");
    const labels = new Set([...text.matchAll(/\{(\w+)=/g)].map(([, label]) => label));
    const expected = ["task", "cause"];
    expect([...labels].filter((label) => !expected.includes(label ?? ""))).toEqual([]);
    expect(await figures()).toMatchObject({
      database_up: 1,
      card_payments_in_flight: 0,
      card_payments_oldest_unknown_seconds: 0,
      mails_queued: 0,
      exports_queued: 0,
    });
  });

  test("show how the last billing run went", async () => {
    await someoneEnrolled();
    await runBilling(app.db, network.admin, plainDate("2026-03-31"));
    const told = await figures();
    expect(told).toMatchObject({ billing_last_debits: 3, billing_day_failures: 0 });
    expect(told["billing_day_runs"]).toBeGreaterThanOrEqual(1);
    const ago = Date.now() / 1000 - (told["billing_last_finished_timestamp_seconds"] ?? 0);
    expect(ago).toBeGreaterThan(-5);
    expect(ago).toBeLessThan(600);
  });

  test("show how much email is waiting, and since when", async () => {
    await app.db
      .insertInto("mails")
      .values({
        networkId: network.id,
        occasion: "test",
        recipient: "who@example.test",
        subject: "s",
        body: "b",
        createdAt: sql<string>`now() - interval '1 hour'`,
      })
      .execute();
    const told = await figures();
    expect(told["mails_queued"]).toBe(1);
    expect(told["mails_oldest_queued_seconds"]).toBeGreaterThanOrEqual(3600);
    await app.db.updateTable("mails").set({ status: "gave_up" }).execute();
    expect(await figures()).toMatchObject({ mails_queued: 0, mails_given_up: 1 });
  });

  test("are read once for concurrent requests", async () => {
    const pool = openPool({ connectionString: app.connectionString, connections: 1 });
    let queries = 0;
    pool.on("acquire", () => (queries += 1));
    const read = databaseMetrics(pool);
    await Promise.all([read(), read(), read()]);
    const once = queries;
    await read();
    expect(once).toBeGreaterThan(0);
    expect(queries).toBe(once);
    await pool.end();
  });

  test("only say that the database cannot be read when it is away", async () => {
    const pool = openPool({ connectionString: "postgres://nobody@127.0.0.1:9/nothing" });
    expect(valuesIn(await databaseMetrics(pool)())).toEqual({ database_up: 0 });
    await pool.end();
  });
});

describe("due but not billed", () => {
  test("is reported from the start, also for networks never counted", async () => {
    const empty = await anApp();
    try {
      const told = async () => valuesIn(await databaseMetrics(empty.pool)());
      const ofNothing = await told();
      expect(ofNothing).toMatchObject({ unbilled_debits: 0, unbilled_networks: 0 });
      expect(
        Date.now() / 1000 - (ofNothing["unbilled_oldest_count_timestamp_seconds"] ?? 0),
      ).toBeLessThan(600);
      const { id } = await makeNetwork(empty.db);
      await makeNetwork(empty.db);
      const made = "2026-03-01T00:00:00Z";
      await empty.db
        .updateTable("networks")
        .set({ createdAt: made })
        .where("id", "=", id)
        .execute();
      expect(await told()).toMatchObject({
        unbilled_debits: 0,
        unbilled_oldest_count_timestamp_seconds: Date.parse(made) / 1000,
      });
    } finally {
      await empty.close();
    }
  });

  const unbilledOf = async () =>
    await app.db
      .selectFrom("unbilledCounts")
      .select(["debits", "countedOn"])
      .where("networkId", "=", network.id)
      .executeTakeFirst();

  test("is counted when a new day begins, and again while there is any", async () => {
    await someoneEnrolled();
    await countUnbilled(app.db, "2026-03-31T12:00:00Z");
    expect(await unbilledOf()).toEqual({ debits: 3, countedOn: "2026-03-31" });
    expect(await figures()).toMatchObject({ unbilled_debits: 3, unbilled_networks: 1 });
    await runBilling(app.db, network.admin, plainDate("2026-03-31"));
    await countUnbilled(app.db, "2026-03-31T13:00:00Z");
    expect(await unbilledOf()).toEqual({ debits: 0, countedOn: "2026-03-31" });
    expect(await figures()).toMatchObject({ unbilled_debits: 0, unbilled_networks: 0 });
  });

  test("is not counted again on the same day if there was none", async () => {
    await countUnbilled(app.db, "2026-03-31T12:00:00Z");
    await someoneEnrolled();
    await countUnbilled(app.db, "2026-03-31T13:00:00Z");
    expect(await unbilledOf()).toMatchObject({ debits: 0 });
    await countUnbilled(app.db, "2026-04-01T00:20:00Z");
    expect(await unbilledOf()).toEqual({ debits: 3, countedOn: "2026-04-01" });
  });

  test("keeps the last count if the worker stops in the middle", async () => {
    await someoneEnrolled();
    await countUnbilled(app.db, "2026-03-31T12:00:00Z", AbortSignal.abort());
    expect(await unbilledOf()).toBeUndefined();
  });
});

describe("a worker without a web server", () => {
  test("reports that it is alive and ready, its jobs' durations, and the number of workers", async () => {
    const lines: string[] = [];
    const log = openLog("info", { write: (line) => void lines.push(line) });
    const registry = new Registry();
    const worker = await startWorker(
      {
        ...app,
        now: () => Temporal.Instant.from("2026-03-31T12:00:00Z"),
        log: (line) => log.warn(line),
        publicUrl: "",
      },
      null,
      watchJobs(log, registry),
    );
    const token = randomBytes(12).toString("hex");
    const health = createWorkerHealth({
      pool: app.pool,
      registry,
      metricsToken: token,
      log,
      databaseMetrics: databaseMetrics(app.pool),
    });
    try {
      expect((await health.inject("/healthz")).statusCode).toBe(200);
      expect((await health.inject("/readyz")).statusCode).toBe(200);
      expect((await health.inject("/sign-in")).statusCode).toBe(404);
      const forbidden = await health.inject({ url: "/metrics", remoteAddress: "192.0.2.7" });
      expect(forbidden.statusCode).toBe(403);
      const isDone = () => lines.some((line) => line.includes('"task":"send-mail"'));
      await expect.poll(isDone).toBe(true);
      await expect.poll(async () => (await figures())["job_workers"]).toBe(1);
      const { body } = await health.inject("/metrics");
      expect(body).toContain('job_duration_seconds_count{task="send-mail",outcome="done"} ');
      // What its scheduler does on the next full minute.
      await app.pool.query(
        `insert into pgboss.job (name, data) values ('__pgboss__send-it', '{"name": "send-mail"}')`,
      );
      expect(await figures()).toHaveProperty(
        'jobs_last_scheduled_timestamp_seconds{task="send-mail"}',
      );
    } finally {
      await health.close();
      await worker.stop();
    }
  });

  test("logs a job that failed, with what went wrong in each network", async () => {
    const lines: string[] = [];
    const log = openLog("info", { write: (line) => void lines.push(line) });
    const dataDir = `${app.dataDir}/a-file`;
    writeFileSync(dataDir, "");
    await app.db
      .insertInto("mails")
      .values({
        networkId: network.id,
        occasion: "fails",
        recipient: "zelda.quist@example.test",
        subject: "s",
        body: "b",
      })
      .execute();
    const worker = await startWorker(
      {
        ...app,
        dataDir,
        now: () => {
          throw new AggregateError(
            [new Error("zelda.quist@example.test was in the way")],
            "Some failed.",
          );
        },
        log: (line) => log.warn(line),
        publicUrl: "",
      },
      null,
      watchJobs(log, new Registry()),
    );
    // A job left by an earlier worker is tried for the second time here.
    const failed = () =>
      lines.filter((line) => line.includes('"a job failed"') && line.includes('"attempt":1,'));
    try {
      await expect.poll(() => failed().length).toBeGreaterThan(0);
    } finally {
      await worker.stop();
    }
    expect(JSON.parse(failed()[0] ?? "")).toMatchObject({
      level: "error",
      task: expect.stringMatching(/^[a-z-]+$/),
      err: { message: "Some failed.", causes: [{ message: "…@… was in the way" }] },
    });
    expect(lines.join("")).not.toContain("zelda");
  });
});
