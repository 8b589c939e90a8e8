import { appendFileSync, chmodSync, existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import pg from "pg";
import { Registry } from "prom-client";
import { afterAll, beforeAll, expect, test } from "vitest";
import { openPool } from "#kit/db/database.ts";
import { databaseServerMetrics } from "#kit/db/metrics.ts";
import { createWorkerHealth } from "#kit/http/worker-health.ts";
import { databaseMetrics } from "#main/metrics.ts";
import { openLog } from "#kit/ops/log.ts";
import { anOwnPostgres, installedPostgres, type OwnPostgres } from "#tests/support/own-postgres.ts";

/*
 * `/metrics` and `/readyz` with a primary and a synchronous standby on the machine's own PostgreSQL; without
 * a standby, see src/main/server-statistics.test.ts.
 */

const bin = installedPostgres();
const parent = mkdtempSync(join(tmpdir(), "rn-trouble-"));
let primary: OwnPostgres;
let standby: OwnPostgres;
let data: string;
let copy: string;
let pool: pg.Pool;
let operator: pg.Client;

const addressOf = (server: OwnPostgres, user: string) =>
  server.address("postgres").replace("//operator@", `//${user}@`);

beforeAll(async () => {
  chmodSync(parent, 0o777);
  primary = await anOwnPostgres(bin, parent);
  standby = await anOwnPostgres(bin, parent);
  data = primary.folder("primary");
  copy = standby.folder("standby");
  primary.run("initdb", `--pgdata=${data}`, "--username=operator", "--auth=trust", "--no-sync");
  appendFileSync(join(data, "postgresql.conf"), "wal_sender_timeout = 2s\n");
  primary.start(data);
  operator = new pg.Client({ connectionString: addressOf(primary, "operator") });
  await operator.connect();
  await operator.query("create role serving login");
  await operator.query("select pg_create_physical_replication_slot('other_machine', true)");
  const from = `${addressOf(primary, "operator")}?application_name=other_machine`;
  primary.run(
    "pg_basebackup",
    `--dbname=${from}`,
    `--pgdata=${copy}`,
    "--slot=other_machine",
    "-R",
  );
  standby.start(copy);
  pool = openPool({ connectionString: addressOf(primary, "serving"), connections: 2 });
});
afterAll(async () => {
  await pool.end();
  await operator.end();
  for (const [server, folder] of [
    [standby, copy],
    [primary, data],
  ] as const)
    if (existsSync(join(folder, "postmaster.pid"))) server.stop(folder);
  rmSync(parent, { recursive: true, force: true });
});

async function figures(of: pg.Pool): Promise<Record<string, number>> {
  const text = await databaseMetrics(of, databaseServerMetrics)();
  const lines = text.split("\n").filter((line) => line !== "" && !line.startsWith("#"));
  return Object.fromEntries(
    lines.map((line) => {
      const space = line.lastIndexOf(" ");
      return [line.slice(0, space), Number(line.slice(space + 1))];
    }),
  );
}

const eventually = <Value>(read: () => Promise<Value>) => expect.poll(read, { timeout: 60_000 });

test("a standby is counted for every role, with or without the right to read all statistics", async () => {
  const standbys = async () => (await figures(pool))["database_standbys"];
  await eventually(standbys).toBe(1);
  await operator.query("grant pg_monitor to serving");
  await eventually(standbys).toBe(1); // once it has reported its position
  expect(await figures(pool)).toMatchObject({ database_read_only: 0 });
});

test("commits that wait for a lost synchronous standby are reported, and the standby is no longer counted", async () => {
  await operator.query("alter system set synchronous_standby_names = 'other_machine'");
  await operator.query("select pg_reload_conf()");
  await operator.query("create table written ()");
  standby.stop(copy);
  await eventually(async () => (await figures(pool))["database_standbys"]).toBe(0);
  const waiting = operator.query("create table waits ()");
  const seconds = async () => (await figures(pool))["database_commits_waiting_seconds"];
  await eventually(seconds).toBeGreaterThan(0);
  standby.start(copy);
  await waiting;
  await eventually(seconds).toBe(0);
  expect(await figures(pool)).toMatchObject({ database_read_only: 0, database_standbys: 1 });
});

test("a process connected to the standby says so, and is not ready", async () => {
  const reading = openPool({ connectionString: addressOf(standby, "serving"), connections: 1 });
  const health = createWorkerHealth({
    pool: reading,
    registry: new Registry(),
    metricsToken: null,
    databaseMetrics: databaseMetrics(reading, databaseServerMetrics),
    log: openLog("silent"),
  });
  try {
    expect(await figures(reading)).toMatchObject({
      database_up: 1,
      database_read_only: 1,
    });
    expect((await health.inject("/readyz")).json()).toMatchObject({
      message: "The database is read-only.",
    });
  } finally {
    await health.close();
    await reading.end();
  }
});
