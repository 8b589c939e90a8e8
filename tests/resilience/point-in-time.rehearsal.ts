import { execFileSync } from "node:child_process";
import { randomBytes } from "node:crypto";
import { chmodSync, existsSync, mkdtempSync, rmSync } from "node:fs";
import { cpus, tmpdir, totalmem } from "node:os";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { isDeepStrictEqual } from "node:util";
import { sql } from "kysely";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { plainDate } from "#kit/domain/calendar.ts";
import { type Db, openDatabase, openPool } from "#kit/db/database.ts";
import { migrate } from "#kit/db/migrate.ts";
import { runBilling } from "#dues/ledger/billing-run.ts";
import { verifyLedger } from "#dues/ledger/verify-ledger.ts";
import { type MadeNetwork } from "#main/demo/records/networks.ts";
import { makeNetwork } from "#tests/support/records/networks.ts";
import { seed } from "#main/demo/seed.ts";
import { contentsOf } from "#tests/support/database-contents.ts";
import { deploy, type Deployed } from "#tests/support/deployed.ts";
import { freePort } from "#tests/support/launched.ts";
import {
  aBackedUpPostgres,
  aRestoredPostgres,
  installedPostgres,
  type OwnPostgres,
} from "#tests/support/own-postgres.ts";
import { RecordedChecks } from "#tests/support/recorded-checks.ts";

/*
 * Restoring to a moment as docs/backups.md says, with pgBackRest by the shipped file and a working service:
 * `npm run rehearse point-in-time`. REHEARSED_DEBITS sets the size.
 */

const bin = installedPostgres();
const secret = randomBytes(24).toString("base64url");
const wantedDebits = Number(process.env["REHEARSED_DEBITS"] ?? 20_000);
const months = 10;
const wanted = { attorneys: Math.ceil(wantedDebits / months / 1.66), plans: 3, months, seed: 5 };
/**
 * The service bills every day until today automatically; the runs here are for dates after it or were
 * earlier.
 */
const today = plainDate("2026-06-30");
const timeout = 1_800_000;
/** Operators have 60; REHEARSED_ARCHIVE_TIMEOUT. */
const archiveTimeoutSeconds = Number(process.env["REHEARSED_ARCHIVE_TIMEOUT"] ?? 10);
/** How long people work on after a file was archived, before the machine dies; REHEARSED_SECONDS. */
const workedSeconds = Number(process.env["REHEARSED_SECONDS"] ?? 0);

let parent: string;
let postgres: OwnPostgres;
let data: string;
let network: MadeNetwork;
let server: Deployed;
let checks: RecordedChecks;
/** Running servers, with their folders. */
const running = new Map<string, OwnPostgres>();

const folder = (name: string) => join(parent, name);

beforeAll(async () => {
  parent = mkdtempSync(join(tmpdir(), "rn-moment-"));
  chmodSync(parent, 0o777);
  ({ postgres, data } = await aBackedUpPostgres(bin, parent, archiveTimeoutSeconds));
  running.set(data, postgres);
  const admin = openDatabase(
    openPool({ connectionString: postgres.address("postgres"), connections: 1 }),
  );
  await sql`create database live`.execute(admin);
  await admin.destroy();
  await migrate(postgres.address("live"));
  await withDatabase(postgres, async (db) => {
    network = await makeNetwork(db, { timeZone: "UTC" });
    await seed(db, network.admin, { ...wanted, today });
  });
  await beginService();
}, timeout);

afterAll(async () => {
  await endService();
  for (const [path, each] of running) if (existsSync(path)) each.stop(path);
  rmSync(parent, { recursive: true, force: true });
}, timeout);

async function withDatabase<Answer>(
  of: OwnPostgres,
  work: (db: Db) => Promise<Answer>,
): Promise<Answer> {
  const db = openDatabase(openPool({ connectionString: of.address("live"), connections: 3 }));
  try {
    return await work(db);
  } finally {
    await db.destroy();
  }
}

/** The built server with its jobs, and people who record checks as fast as it answers. */
async function beginService(): Promise<void> {
  const port = await freePort();
  const address = `http://127.0.0.1:${port}`;
  server = await deploy(port, {
    ROLES: "web,worker",
    DATABASE_URL: postgres.address("live"),
    DATA_DIR: folder("files"),
    APP_SECRET: secret,
    PUBLIC_URL: address,
    RATE_LIMITS: "0",
    LOG_LEVEL: "error",
  });
  checks = await withDatabase(postgres, (db) =>
    RecordedChecks.begin("check", { address, db, secret, network }),
  );
  await someChecks();
}

async function endService(): Promise<void> {
  await checks?.pause();
  server?.signal("SIGKILL");
  await server?.ended;
}

/** Wait until this many more are acknowledged. */
async function someChecks(more = 20): Promise<void> {
  const before = checks.acknowledged.size;
  await vi.waitUntil(() => checks.acknowledged.size - before > more, {
    timeout: 120_000,
    interval: 20,
  });
}

interface Restored {
  postgres: OwnPostgres;
  data: string;
  seconds: number;
}

async function restore(to: string, name: string): Promise<Restored> {
  const begun = performance.now();
  const restored = await aRestoredPostgres(bin, parent, { to, name });
  running.set(restored.data, restored.postgres);
  return { ...restored, seconds: (performance.now() - begun) / 1000 };
}

/** As the operator does before the servers start. */
function skipIds(of: OwnPostgres): string {
  const env = { ...process.env, DATABASE_URL: of.address("live"), APP_SECRET: secret };
  return execFileSync(process.execPath, ["src/main/cli.ts", "skip-ids"], { env, encoding: "utf8" });
}

const ask = (of: OwnPostgres, statement: string, database = "live") =>
  of.run("psql", of.address(database), "--no-psqlrc", "-qAtc", statement).trim();

const tablesOf = async (of: OwnPostgres) =>
  Object.fromEntries(
    Object.entries(await contentsOf(of.address("live"))).filter(([name]) => !name.endsWith("_seq")),
  );

const offencesIn = (of: OwnPostgres) =>
  withDatabase(of, async (db) => {
    const found = await verifyLedger(db, null);
    return found.filter(({ offenders }) => offenders > 0);
  });

const billUntil = (of: OwnPostgres, day: string) =>
  withDatabase(of, (db) => runBilling(db, network.admin, plainDate(day)));

const figure = (text: string) => console.log(`point in time: ${text}`);

function sizeOf(of: OwnPostgres): string {
  const [debits, bytes] = ask(
    of,
    "select count(*) || ' ' || pg_database_size('live') from debits",
  ).split(" ");
  return `${Number(debits).toLocaleString("en-US")} debits, ${(Number(bytes) / 1e9).toFixed(2)} GB`;
}

describe("a working service", () => {
  test("base backups are taken during work", { timeout }, async () => {
    for (const day of ["2026-07-31", "2026-08-31"]) {
      const billing = billUntil(postgres, day);
      const begun = performance.now();
      postgres.backRest("backup", "--type=full");
      figure(
        `base backup of ${sizeOf(postgres)} in ${((performance.now() - begun) / 1000).toFixed(1)} s`,
      );
      expect(await billing).toMatchObject({ failures: 0 });
      await someChecks();
    }
    expect(ask(postgres, "select failed_count from pg_stat_archiver")).toBe("0");
  });

  test(
    "a billing run for the wrong month: everything is as it was just before it",
    { timeout },
    async () => {
      await someChecks();
      await checks.pause();
      const { before, moment } = await waitForQuietMoment();
      checks.resume();
      expect(await billUntil(postgres, "2027-06-30")).toMatchObject({ failures: 0 });
      await someChecks();
      await untilArchived();
      const restored = await restore(moment, "restored");
      figure(
        `restored to a moment: ${sizeOf(restored.postgres)} in ${restored.seconds.toFixed(1)} s`,
      );
      expect(await tablesOf(restored.postgres)).toEqual(before);
      expect(await offencesIn(restored.postgres)).toEqual([]);
      expect(ask(restored.postgres, "show archive_mode")).toBe("off");

      // Ids assigned after that moment may be in emails: nothing else gets them.
      expect(skipIds(restored.postgres)).toMatch(/^New records start 1,000,000 ids higher/);
      const { debits, failures } = await billUntil(restored.postgres, "2026-12-31");
      expect([debits > 0, failures]).toEqual([true, 0]);
      expect(await offencesIn(restored.postgres)).toEqual([]);
      const later = idsOf(restored.postgres);
      for (const [name, value] of idsOf(postgres))
        expect([name, (later.get(name) ?? 0) > value]).toEqual([name, true]);
      restored.postgres.stop(restored.data);
      running.delete(restored.data);
    },
  );

  test("the machine dies with its disk: everything archived is there", { timeout }, async () => {
    const { archivedAt, killedAt } = await killAndLoseDisk();
    const restored = await restore("latest", "second");
    const lost = await lostIn(restored, killedAt);
    expect(lost.filter((at) => at < archivedAt)).toEqual([]);
    expect(await offencesIn(restored.postgres)).toEqual([]);
    expect(await billUntil(restored.postgres, "2027-07-31")).toMatchObject({ failures: 0 });
  });
});

/** The last id that each sequence has assigned. */
const idsOf = (of: OwnPostgres) =>
  new Map(
    ask(
      of,
      "select sequencename, last_value from pg_sequences where schemaname = 'public' and last_value is not null",
    )
      .split("\n")
      .map((line) => line.split("|"))
      .map(([name = "", value]) => [name, Number(value)]),
  );

/** A moment around which nothing was written, though the jobs go on, and the data of that moment. */
async function waitForQuietMoment(): Promise<{ moment: string; before: Record<string, string> }> {
  const look = async () => {
    const before = await tablesOf(postgres);
    const moment = ask(postgres, "select clock_timestamp()");
    return isDeepStrictEqual(await tablesOf(postgres), before) && { before, moment };
  };
  return await vi.waitUntil(look, { timeout: 600_000, interval: 500 });
}

/** Wait until everything written so far is in the archive; people go on writing. */
async function untilArchived(): Promise<void> {
  const last = ask(postgres, "select pg_walfile_name(pg_current_wal_lsn())");
  ask(postgres, "select pg_switch_wal()");
  const isArchived = `select last_archived_wal >= '${last}' from pg_stat_archiver`;
  await vi.waitUntil(() => ask(postgres, isArchived) === "t", { timeout: 120_000 });
}

/** The server is killed at work and its disk is gone. Returns what was archived by then, and when. */
async function killAndLoseDisk(): Promise<{ archivedAt: number; killedAt: number }> {
  await someChecks();
  const archivedAt = Date.now();
  await untilArchived();
  await someChecks(100);
  await pause(workedSeconds * 1000);
  postgres.kill(data);
  const killedAt = Date.now();
  running.delete(data);
  rmSync(data, { recursive: true });
  await endService();
  return { archivedAt, killedAt };
}

async function lostIn(restored: Restored, killedAt: number): Promise<number[]> {
  const lost = await withDatabase(restored.postgres, (db) => checks.missingIn(db));
  const since = Math.max(0, killedAt - Math.min(killedAt, ...lost));
  figure(
    `${lost.length} of ${checks.acknowledged.size} acknowledged checks are lost, the last ${(since / 1000).toFixed(2)} s ` +
      `(archive_timeout ${archiveTimeoutSeconds} s); ${sizeOf(restored.postgres)} restored in ${restored.seconds.toFixed(1)} s ` +
      `on ${cpus().length} cores, ${(totalmem() / 2 ** 30).toFixed(0)} GB`,
  );
  return lost;
}
