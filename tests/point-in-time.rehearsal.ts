import type { ChildProcess } from "node:child_process";
import { randomBytes } from "node:crypto";
import {
  chmodSync,
  copyFileSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
} from "node:fs";
import { cpus, tmpdir, totalmem } from "node:os";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { isDeepStrictEqual } from "node:util";
import { sql } from "kysely";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { plainDate } from "#domain/calendar.ts";
import { type Db, openDatabase, openPool } from "#db/database.ts";
import { migrate } from "#db/migrate.ts";
import { runBilling } from "#features/ledger/billing-run.ts";
import { verifyLedger } from "#features/ledger/verify-ledger.ts";
import { makeNetwork, type MadeNetwork } from "#features/demo/records/networks.ts";
import { seed } from "#features/demo/seed.ts";
import { contentsOf } from "#tests/support/database-contents.ts";
import { deploy, type Deployed } from "#tests/support/deployed.ts";
import { freePort } from "#tests/support/launched.ts";
import {
  anArchivingPostgres,
  anOwnPostgres,
  archiveInto,
  installedPostgres,
  type OwnPostgres,
  untilNextSecond,
} from "#tests/support/own-postgres.ts";
import { RecordedChecks } from "#tests/support/recorded-checks.ts";

/*
 * What docs/operations.md says of going back to a moment, with the scripts that it names and a service at
 * work: `npm run rehearse point-in-time`. REHEARSED_DEBITS says how large; the figures that it prints
 * stand in the documents.
 */

const bin = installedPostgres();
const secret = randomBytes(24).toString("base64url");
const wantedDebits = Number(process.env["REHEARSED_DEBITS"] ?? 20_000);
const months = 10;
const wanted = { attorneys: Math.ceil(wantedDebits / months / 1.66), plans: 3, months, seed: 5 };
/** The service itself bills every day until today; what goes on here lies after it or was before. */
const today = plainDate("2026-06-30");
const timeout = 1_800_000;
/** What an operator has is 60; REHEARSED_ARCHIVE_TIMEOUT. */
const archiveTimeoutSeconds = Number(process.env["REHEARSED_ARCHIVE_TIMEOUT"] ?? 10);
/** How long people work on after a file was archived, before the machine dies; REHEARSED_SECONDS. */
const workedSeconds = Number(process.env["REHEARSED_SECONDS"] ?? 0);

let parent: string;
/** The server that the service works on, one after the other. */
let postgres: OwnPostgres;
let data: string;
let network: MadeNetwork;
let server: Deployed;
let checks: RecordedChecks;
let receiver: ChildProcess | undefined;
let restoredLast: Restored;
/** Servers that run, with their folders. */
const running = new Map<string, OwnPostgres>();

const folder = (name: string) => join(parent, name);

beforeAll(async () => {
  parent = mkdtempSync(join(tmpdir(), "rn-moment-"));
  chmodSync(parent, 0o777);
  ({ postgres, data } = await anArchivingPostgres(bin, parent, archiveTimeoutSeconds));
  running.set(data, postgres);
  const admin = openDatabase(
    openPool({ connectionString: postgres.address("postgres"), connections: 1 }),
  );
  await sql`create database live`.execute(admin);
  await admin.destroy();
  await migrate(postgres.address("live"));
  await using(postgres, async (db) => {
    network = await makeNetwork(db, { timeZone: "UTC" });
    await seed(db, network.admin, { ...wanted, today });
  });
  await beginService("first");
}, timeout);

afterAll(async () => {
  await endService();
  receiver?.kill("SIGKILL");
  for (const [path, each] of running) if (existsSync(path)) each.stop(path);
  rmSync(parent, { recursive: true, force: true });
}, timeout);

async function using<Answer>(of: OwnPostgres, work: (db: Db) => Promise<Answer>): Promise<Answer> {
  const db = openDatabase(openPool({ connectionString: of.address("live"), connections: 3 }));
  try {
    return await work(db);
  } finally {
    await db.destroy();
  }
}

/** The built server with its jobs, and people who record checks there as fast as it answers. */
async function beginService(name: string): Promise<void> {
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
  checks = await using(postgres, (db) =>
    RecordedChecks.begin(name, { address, db, secret, network }),
  );
  await someChecks();
}

async function endService(): Promise<void> {
  await checks?.pause();
  server?.signal("SIGKILL");
  await server?.ended;
}

/** Wait until so many more have been acknowledged. */
async function someChecks(more = 20): Promise<void> {
  const before = checks.acknowledged.size;
  await vi.waitUntil(() => checks.acknowledged.size - before > more, {
    timeout: 120_000,
    interval: 20,
  });
}

function baseBackup(base: string, wal: string, keep = 2): string {
  const args = [folder(base), "--wal", folder(wal), "--keep", String(keep)];
  const { status, stdout, stderr } = postgres.script("base-backup.sh", ...args);
  expect([stderr, status]).toEqual(["", 0]);
  return stdout;
}

interface Restored {
  postgres: OwnPostgres;
  data: string;
  seconds: number;
  said: string;
}

const restoring = (to: string, name: string, port: number, from = { base: "base", wal: "wal" }) => [
  "--base",
  folder(from.base),
  "--wal",
  folder(from.wal),
  "--to",
  to,
  "--data",
  folder(name),
  "--port",
  String(port),
];

async function restore(
  to: string,
  name: string,
  from?: { base: string; wal: string },
): Promise<Restored> {
  const restored = await anOwnPostgres(bin, parent);
  const begun = performance.now();
  const args = restoring(to, name, restored.port, from);
  const { status, stdout, stderr } = restored.script("restore-to.sh", ...args);
  const seconds = (performance.now() - begun) / 1000;
  expect([stderr, status]).toEqual(["", 0]);
  running.set(folder(name), restored);
  return { postgres: restored, data: folder(name), seconds, said: stdout };
}

const ask = (of: OwnPostgres, statement: string, database = "live") =>
  of.run("psql", of.address(database), "--no-psqlrc", "-qAtc", statement).trim();

const tablesOf = async (of: OwnPostgres) =>
  Object.fromEntries(
    Object.entries(await contentsOf(of.address("live"))).filter(([name]) => !name.endsWith("_seq")),
  );

const offencesIn = (of: OwnPostgres) =>
  using(of, async (db) => {
    const found = await verifyLedger(db, null);
    return found.filter(({ offenders }) => offenders > 0);
  });

const billUntil = (of: OwnPostgres, day: string) =>
  using(of, (db) => runBilling(db, network.admin, plainDate(day)));

const figure = (text: string) => console.log(`point in time: ${text}`);

function sizeOf(of: OwnPostgres): string {
  const [debits, bytes] = ask(
    of,
    "select count(*) || ' ' || pg_database_size('live') from debits",
  ).split(" ");
  return `${Number(debits).toLocaleString("en-US")} debits, ${(Number(bytes) / 1e9).toFixed(2)} GB`;
}

describe("a service at work", () => {
  test(
    "two base backups are taken meanwhile, named by the moment from which they hold",
    { timeout },
    async () => {
      for (const day of ["2026-07-31", "2026-08-31"]) {
        const billing = billUntil(postgres, day);
        const begun = performance.now();
        expect(baseBackup("base", "wal")).toMatch(
          /^Took the base backup \S+\/\d{4}-\d\d-\d\dT\d{6}Z, \S+B, verified\.\nRemoved \d+ files of WAL/,
        );
        figure(
          `base backup of ${sizeOf(postgres)} in ${((performance.now() - begun) / 1000).toFixed(1)} s`,
        );
        expect(await billing).toMatchObject({ failures: 0 });
        await someChecks();
        await untilNextSecond(); // another has another name
      }
      expect(readdirSync(folder("base")).filter((name) => !name.startsWith("."))).toHaveLength(2);
      expect(ask(postgres, "select failed_count from pg_stat_archiver")).toBe("0");
    },
  );

  test(
    "a billing run for the wrong month: everything is as it was just before it",
    { timeout },
    async () => {
      await someChecks();
      await checks.pause();
      const { before, moment } = await aQuietMoment();
      checks.resume();
      expect(await billUntil(postgres, "2027-06-30")).toMatchObject({ failures: 0 });
      await someChecks();
      await untilArchived("wal");
      const restored = await restore(moment, "restored");
      figure(
        `restored to a moment: ${sizeOf(restored.postgres)} in ${restored.seconds.toFixed(1)} s\n${restored.said}`,
      );

      expect(await tablesOf(restored.postgres)).toEqual(before);
      expect(await offencesIn(restored.postgres)).toEqual([]);
      expect(ask(restored.postgres, "show archive_mode")).toBe("off");
      expect(readdirSync(folder("wal")).filter((name) => name.endsWith(".history"))).toEqual([]);
      expect(readFileSync(join(restored.data, "postgresql.auto.conf"), "utf8")).not.toContain(
        "recovery",
      );
      const { debits, failures } = await billUntil(restored.postgres, "2026-12-31");
      expect([debits > 0, failures]).toEqual([true, 0]);
      expect(await offencesIn(restored.postgres)).toEqual([]);

      // What was given a number after that moment may stand in a mail: nothing else gets that number.
      const numbers = (of: OwnPostgres) =>
        ask(
          of,
          "select sequencename, last_value from pg_sequences where schemaname = 'public' and last_value is not null",
        )
          .split("\n")
          .map((line) => line.split("|"));
      const later = new Map(
        numbers(restored.postgres).map(([name, value]) => [name, Number(value)]),
      );
      for (const [name, value] of numbers(postgres))
        expect([name, (later.get(name) ?? 0) > Number(value)]).toEqual([name, true]);
      restored.postgres.stop(restored.data);
      running.delete(restored.data);
    },
  );

  test("moments that nothing leads to are refused, in a sentence, before anything is copied", async () => {
    const port = await freePort();
    const refusalOf = (to: string, more: string[] = []) => {
      const { status, stderr } = postgres.script(
        "restore-to.sh",
        ...restoring(to, "none", port),
        ...more,
      );
      expect([status, existsSync(folder("none"))]).toEqual([1, false]);
      return stderr;
    };
    expect(refusalOf("2026-01-01 00:00:00+00")).toMatch(
      /^The moment .* lies before the end of the oldest base backup, \S+Z: nothing leads back to it\.\n$/,
    );
    expect(refusalOf("2199-01-01 00:00:00+00")).toMatch(
      /^The moment .* lies after the last transaction in the archive, which ended at \S+ \S+ UTC: .*\n.*--to latest\.\n$/,
    );
    expect(refusalOf("yesterday")).toMatch(/^--to is a moment with its time zone, .*\n$/);
    expect(refusalOf("2026-13-45 00:00:00+00")).toContain("is no moment.");
    const { status, stdout, stderr } = postgres.script(
      "restore-to.sh",
      ...restoring("latest", "none", port),
      "--dry-run",
    );
    expect([status, stderr, existsSync(folder("none"))]).toEqual([0, "", false]);
    expect(stdout).toMatch(/\nWould bring it to latest in \S+, on port \d+\.\n$/);
  });

  test(
    "an archive in which a file is missing leads no further, and that is said",
    { timeout },
    async () => {
      const gap = postgres.folder("gap");
      await untilArchived("wal");
      await someChecks();
      await untilArchived("wal");
      const files = readdirSync(folder("wal")).toSorted();
      const missing = files.filter((name) => /^[0-9A-F]{24}$/.test(name)).at(-2) ?? "";
      for (const name of files.filter((each) => each !== missing && !each.startsWith("."))) {
        copyFileSync(join(folder("wal"), name), join(gap, name));
        chmodSync(join(gap, name), 0o644); // to be read by the server's user
      }
      const other = await anOwnPostgres(bin, parent);
      const restoreFromGap = (to: string, name: string) =>
        other.script(
          "restore-to.sh",
          ...restoring(to, name, other.port, { base: "base", wal: "gap" }),
        );

      const latest = restoreFromGap("latest", "until-gap");
      running.set(folder("until-gap"), other);
      expect([latest.status, latest.stderr]).toEqual([
        1,
        expect.stringMatching(
          /^The archive has transactions until .*, and only those until .* could be replayed: a file in between is missing\.\n/,
        ),
      ]);
      other.stop(folder("until-gap"));
      running.delete(folder("until-gap"));

      const [, last = ""] = /until (\S+ \S+) UTC, and/.exec(latest.stderr) ?? [];
      const beyond = restoreFromGap(`${last.split(".")[0]}+00`, "beyond-gap");
      expect([beyond.status, beyond.stderr]).toEqual([
        1,
        expect.stringMatching(
          /^The moment .* was not reached: the WAL in \S+ ends before it, or a file in between is missing\.\n/,
        ),
      ]);
      expect(existsSync(folder("beyond-gap/postmaster.pid"))).toBe(false);
    },
  );

  test(
    "the machine dies with its disk: all is there that had been archived",
    { timeout },
    async () => {
      const kept = await dieWith("data", "wal");
      const restored = await restore("latest", "second");
      const lost = await lostIn(restored, "archived WAL alone", kept.killedAt);
      expect(lost.filter((at) => at < kept.archivedAt)).toEqual([]);
      expect(await offencesIn(restored.postgres)).toEqual([]);
      adopt(restored);
    },
  );

  test("streamed into the archive as well, next to nothing is lost", { timeout }, async () => {
    for (const name of ["base-2", "wal-2"]) postgres.folder(name);
    const reset = /--command "(alter system reset \w+)"/g;
    for (const [, statement = ""] of restoredLast.said.matchAll(reset)) ask(postgres, statement);
    postgres.stop(data);
    archiveInto(postgres, data, { archive: folder("wal-2"), archiveTimeoutSeconds });
    postgres.start(data);
    await beginService("second");
    baseBackup("base-2", "wal-2", 1);
    const [, options = ""] =
      /^ExecStart=\S+\/pg_receivewal (.*)$/m.exec(
        readFileSync(postgres.pathOf("referral-network-wal.service"), "utf8"),
      ) ?? [];
    const args = options.replace(/--directory=\S+/, `--directory=${folder("wal-2")}`).split(" ");
    receiver = postgres.spawn("pg_receivewal", ...args);
    const streams = () =>
      ask(postgres, "select count(*) from pg_stat_replication where state = 'streaming'");
    await expect.poll(streams, { timeout: 60_000 }).toBe("1");
    await someChecks(200);
    baseBackup("base-2", "wal-2", 1);
    await someChecks();

    expect(ask(postgres, "select failed_count from pg_stat_archiver")).toBe("0");
    const kept = await dieWith("second", "wal-2");
    receiver.kill("SIGKILL");
    const restored = await restore("latest", "third", { base: "base-2", wal: "wal-2" });
    const lost = await lostIn(restored, "WAL streamed besides", kept.killedAt);
    expect(lost.filter((at) => at < kept.archivedAt)).toEqual([]);
    expect(await offencesIn(restored.postgres)).toEqual([]);
    expect(await billUntil(restored.postgres, "2027-07-31")).toMatchObject({ failures: 0 });
    adopt(restored);
    await beginService("third");
  });
});

/** A moment around which nothing was written, though the jobs go on, and what was there. */
async function aQuietMoment(): Promise<{ moment: string; before: Record<string, string> }> {
  const look = async () => {
    const before = await tablesOf(postgres);
    const moment = ask(postgres, "select clock_timestamp()");
    return isDeepStrictEqual(await tablesOf(postgres), before) && { before, moment };
  };
  return await vi.waitUntil(look, { timeout: 600_000, interval: 500 });
}

/** Wait until all that is written by now is in an archive; people go on writing. */
async function untilArchived(archive: string): Promise<void> {
  const last = ask(postgres, "select pg_walfile_name(pg_current_wal_lsn())");
  ask(postgres, "select pg_switch_wal()");
  await vi.waitUntil(() => existsSync(folder(`${archive}/${last}`)), { timeout: 120_000 });
}

/** The server is killed under its work and its disk is gone. Answers what was safe by then, and when it was. */
async function dieWith(
  name: string,
  archive: string,
): Promise<{ archivedAt: number; killedAt: number }> {
  await someChecks();
  const archivedAt = Date.now();
  await untilArchived(archive);
  await someChecks(100);
  await pause(workedSeconds * 1000);
  postgres.kill(data);
  const killedAt = Date.now();
  running.delete(data);
  rmSync(folder(name), { recursive: true });
  await endService();
  return { archivedAt, killedAt };
}

async function lostIn(restored: Restored, how: string, killedAt: number): Promise<number[]> {
  const lost = await using(restored.postgres, (db) => checks.missingIn(db));
  const since = Math.max(0, killedAt - Math.min(killedAt, ...lost));
  figure(
    `${how}: ${lost.length} of ${checks.acknowledged.size} acknowledged checks are lost, the last ${(since / 1000).toFixed(2)} s ` +
      `(archive_timeout ${archiveTimeoutSeconds} s); ${sizeOf(restored.postgres)} restored in ${restored.seconds.toFixed(1)} s ` +
      `on ${cpus().length} cores, ${(totalmem() / 2 ** 30).toFixed(0)} GB\n${restored.said}`,
  );
  return lost;
}

/** From now on it is the service's server. */
function adopt(restored: Restored): void {
  restoredLast = restored;
  postgres = restored.postgres;
  data = restored.data;
}
