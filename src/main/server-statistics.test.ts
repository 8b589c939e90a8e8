import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import pg from "pg";
import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";
import { openPool } from "#db/database.ts";
import { databaseServerMetrics } from "#db/metrics.ts";
import {
  type EmbeddedDatabase,
  openEmbeddedDatabase,
} from "#embedded-postgres/embedded-database.ts";
import { databaseMetrics } from "#main/metrics.ts";

/* What `/metrics` tells of a PostgreSQL in trouble; with a real standby, tests/server-statistics.rehearsal.ts. */

const dataDir = mkdtempSync(join(tmpdir(), "referral-network-statistics-"));
let database: EmbeddedDatabase;
/** The role that requests are served as, and whoever may do anything. */
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

test("says what a role without rights may read, and which figures are missing for it", async () => {
  expect(await figure("database_up")).toBe(1);
  expect(await figure("database_read_only")).toBe(0);
  expect(await figure("database_in_recovery")).toBe(0);
  expect(await figure("database_size_bytes")).toBeGreaterThan(1_000_000);
  expect(await figure("database_server_connections")).toBeGreaterThanOrEqual(2);
  expect(await figure("database_server_connections_limit")).toBe(197);
  expect(await figure("database_standbys")).toBe(0);
  const readable = (name: string) => figure(`database_statistics_readable{statistic="${name}"}`);
  for (const name of ["server", "transactions", "standbys", "archiving", "slots"])
    expect([name, await readable(name)]).toEqual([name, 1]);
  for (const name of ["replication", "log folder"]) expect(await readable(name)).toBe(0);
  expect(await figure("database_log_folder_bytes")).toBeNaN();

  await superuser.query("grant pg_read_all_stats to referral_network_server");
  await superuser.query("grant execute on function pg_ls_waldir() to referral_network_server");
  for (const name of ["replication", "log folder"]) expect(await readable(name)).toBe(1);
  expect(await figure("database_log_folder_bytes")).toBeGreaterThan(1_000_000);
  const text = await told();
  for (const secret of [readFileSync(join(dataDir, "database-password"), "utf8"), "127.0.0.1"])
    expect(text).not.toContain(secret.trim());
  expect(readFileSync(join(dataDir, "postgres.log"), "utf8")).not.toContain("permission denied");
});

test("a replication slot that nobody reads, with the log that is kept for it", async () => {
  await superuser.query("select pg_create_physical_replication_slot('left_behind', true)");
  await superuser.query("select pg_logical_emit_message(true, 'test', repeat('x', 100000))");
  expect(await figure('database_slot_active{slot="left_behind"}')).toBe(0);
  expect(await figure('database_slot_bytes{slot="left_behind"}')).toBeGreaterThanOrEqual(100_000);
  expect(await figure('database_slot_lost{slot="left_behind"}')).toBe(0);
  await superuser.query("select pg_drop_replication_slot('left_behind')");
  expect(await told()).not.toContain("left_behind");
});

test("a program that only receives the log, such as pg_receivewal, is no standby", async () => {
  const receiver = async (name: string) => {
    const address = new URL(database.connectionString);
    address.username = "postgres";
    address.searchParams.set("application_name", name);
    address.searchParams.set("replication", "true");
    const client = new pg.Client({ connectionString: address.href });
    client.on("error", () => undefined);
    onTestFinished(() => void client.connection.stream.destroy()); // it never ends by itself
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
  await superuser.query("revoke pg_read_all_stats from referral_network_server");
  expect(await figure("database_standbys")).toBe(0);
  await superuser.query("grant pg_read_all_stats to referral_network_server");
  await receiver("db_2");
  await expect.poll(() => streams(superuser)).toBe(2);
  expect(await figure("database_standbys")).toBe(0);
});

test("an archive command that fails, until it works again", async () => {
  await set("archive_command", "false");
  await superuser.query("select pg_logical_emit_message(true, 'test', 'x')");
  await superuser.query("select pg_switch_wal()");
  await expect.poll(() => figure("database_archiving_failing")).toBe(1);
  expect(await figure("database_unarchived_bytes")).toBeNaN(); // nothing ever was
  await set("archive_command", "true");
  await expect.poll(() => figure("database_archiving_failing")).toBe(0);
  expect(await figure("database_archived_timestamp_seconds")).toBeGreaterThan(1_000_000_000);
  expect(await figure("database_unarchived_bytes")).toBeLessThan(16 * 1024 * 1024);
  await superuser.query("select pg_logical_emit_message(true, 'test', repeat('x', 100000))");
  expect(await figure("database_unarchived_bytes")).toBeGreaterThanOrEqual(100_000);
});

test("a commit that waits for a standby that is not there, and the transaction that stays open", async () => {
  expect(await figure("database_synchronous_standbys_wanted")).toBe(0);
  for (const [names, wanted] of [
    ["ANY 2 (east, west, north)", 2],
    ["2 (east, west)", 2],
    ["east, west", 1],
  ] as const) {
    await set("synchronous_standby_names", names);
    await expect.poll(() => figure("database_synchronous_standbys_wanted")).toBe(wanted);
  }
  expect(await figure("database_synchronous_standbys")).toBe(0);
  const writer = new pg.Client({ connectionString: database.connectionString });
  await writer.connect();
  const over = new AbortController();
  const writing = (async () => {
    // Commits wait from the moment on at which the server, too, has read the setting.
    while (!over.signal.aborted)
      await writer.query("select pg_logical_emit_message(true, 'test', 'x')");
  })();
  await expect.poll(() => figure("database_commits_waiting_seconds")).toBeGreaterThan(0);
  over.abort();
  await set("synchronous_standby_names", "");
  await writing;
  await expect.poll(() => figure("database_commits_waiting_seconds")).toBe(0);
  await writer.query("begin");
  await writer.query("select now()");
  expect(await figure("database_oldest_transaction_seconds")).toBeGreaterThan(0);
  await writer.end();
});
