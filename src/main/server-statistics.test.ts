import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import pg from "pg";
import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";
import { openPool } from "#kit/db/database.ts";
import { databaseServerMetrics } from "#kit/db/metrics.ts";
import {
  type EmbeddedDatabase,
  openEmbeddedDatabase,
} from "#kit/db/embedded-postgres/embedded-database.ts";
import { databaseMetrics } from "#main/metrics.ts";

/* `/metrics` of a PostgreSQL in trouble. With a real standby: tests/resilience/database-trouble.rehearsal.ts. */

const dataDir = mkdtempSync(join(tmpdir(), "referral-network-statistics-"));
let database: EmbeddedDatabase;
/** The role that serves requests, and the superuser. */
let pool: pg.Pool;
let superuser: pg.Client;

beforeAll(async () => {
  database = await openEmbeddedDatabase({
    dataDir,
    settings: { fsync: "off", archive_mode: "on", shared_buffers: "16MB" },
    log: () => undefined,
  });
  pool = openPool({ connectionString: database.servingConnectionString, connections: 2 });
  const address = new URL(database.connectionString);
  address.username = "postgres";
  superuser = new pg.Client({ connectionString: address.href });
  await superuser.connect();
});
afterAll(async () => {
  await pool.end();
  await superuser.end();
  await database.stop();
  rmSync(dataDir, { recursive: true, force: true });
});

const told = async () => await databaseMetrics(pool, databaseServerMetrics)();

async function figure(name: string): Promise<number> {
  const line = (await told()).split("\n").find((text) => text.startsWith(`${name} `));
  return line === undefined ? Number.NaN : Number(line.slice(name.length + 1));
}

async function set(setting: string, value: string): Promise<void> {
  await superuser.query(`alter system set ${setting} = '${value}'`);
  await superuser.query("select pg_reload_conf()");
}

test("a role without rights can read the figures behind alerts", async () => {
  expect(await figure("database_up")).toBe(1);
  expect(await figure("database_read_only")).toBe(0);
  expect(await figure("database_standbys")).toBe(0);
  expect(await figure("database_commits_waiting_seconds")).toBe(0);
  const text = await told();
  for (const secret of [readFileSync(join(dataDir, "database-password"), "utf8"), "127.0.0.1"])
    expect(text).not.toContain(secret.trim());
  expect(readFileSync(join(dataDir, "postgres.log"), "utf8")).not.toContain("permission denied");
});

test("a program that only receives the log, such as pg_receivewal, is not a standby", async () => {
  const receiver = async (name: string) => {
    const address = new URL(database.connectionString);
    address.username = "postgres";
    address.searchParams.set("application_name", name);
    address.searchParams.set("replication", "true");
    const client = new pg.Client({ connectionString: address.href });
    client.on("error", () => undefined);
    onTestFinished(() => void client.connection.stream.destroy()); // it never ends on its own
    await client.connect();
    const { rows } = await superuser.query<{ lsn: string }>("select pg_current_wal_lsn() as lsn");
    client.query(`start_replication physical ${rows[0]?.lsn}`).catch(() => undefined);
  };
  const streams = async (as: pg.Client | pg.Pool) =>
    (await as.query<{ n: number }>("select count(*)::int as n from pg_stat_replication")).rows[0]
      ?.n;
  await receiver("pg_receivewal");
  await expect.poll(() => streams(superuser)).toBe(1);
  expect(await figure("database_standbys")).toBe(0);
  await superuser.query("grant pg_read_all_stats to referral_network_server");
  expect(await figure("database_standbys")).toBe(0);
  await receiver("db_2");
  await expect.poll(() => streams(superuser)).toBe(2);
  expect(await figure("database_standbys")).toBe(0);
});

test("an archive command is reported failing until it works again", async () => {
  await set("archive_command", "false");
  await superuser.query("select pg_logical_emit_message(true, 'test', 'x')");
  await superuser.query("select pg_switch_wal()");
  await expect.poll(() => figure("database_archiving_failing")).toBe(1);
  await set("archive_command", "true");
  await expect.poll(() => figure("database_archiving_failing")).toBe(0);
});

test("a commit waiting for a missing standby is reported", async () => {
  await set("synchronous_standby_names", "east");
  const writer = new pg.Client({ connectionString: database.connectionString });
  await writer.connect();
  const over = new AbortController();
  const writing = (async () => {
    // Commits wait only once the server has also read the setting.
    while (!over.signal.aborted)
      await writer.query("select pg_logical_emit_message(true, 'test', 'x')");
  })();
  await expect.poll(() => figure("database_commits_waiting_seconds")).toBeGreaterThan(0);
  over.abort();
  await set("synchronous_standby_names", "");
  await writing;
  await expect.poll(() => figure("database_commits_waiting_seconds")).toBe(0);
  await writer.end();
});
