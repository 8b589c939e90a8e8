import "#main/reports.ts";
import { text } from "node:stream/consumers";
import type pg from "pg";
import { Temporal } from "temporal-polyfill";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { type Db, openDatabase, openPool } from "#kit/db/database.ts";
import { openStandbys, type Standbys } from "#kit/db/standbys.ts";
import { makeAttorney } from "#tests/support/records/attorneys.ts";
import { type MadeNetwork } from "#main/demo/records/networks.ts";
import { makeNetwork } from "#tests/support/records/networks.ts";
import { exportTypes } from "#kit/list/offered-reports.ts";
import { exportFile } from "#office/reports/download.ts";
import { prepareExport } from "#office/reports/prepare-export.ts";
import { aPrimaryAndStandby, type PrimaryAndStandby } from "#tests/support/primary-and-standby.ts";

/* Reports are read from a standby if possible, else from the primary. */

let two: PrimaryAndStandby;
let pool: pg.Pool;
let db: Db;
let standbys: Standbys;
let network: MadeNetwork;
const said: string[] = [];
const reads: string[] = [];

const open = (address: string, timeoutMs = 60_000) =>
  openStandbys({
    address,
    primary: two.address(two.primary.port),
    warn: (line) => void said.push(line),
    timeoutMs,
  });

beforeAll(async () => {
  two = await aPrimaryAndStandby();
  pool = openPool({ connectionString: two.address(two.primary.port), connections: 10 });
  db = openDatabase(pool);
  network = await makeNetwork(db);
  const both = two.address(two.primary.port, two.standby.port);
  standbys = await open(both.replace("read-write", "prefer-standby"));
});
beforeEach(() => void said.splice(0));
beforeEach(() => void reads.splice(0));
afterAll(async () => {
  await standbys.close();
  await pool.end();
  await two.close();
});

/** Order a report and prepare it. Returns its file. */
async function prepared({
  from = standbys,
  reportType = "attorneys",
  columns = ["email"],
} = {}): Promise<string> {
  const { networkId, id } = await db
    .insertInto("dataExports")
    .values({
      networkId: network.id,
      reportType,
      columns,
      requestedBy: "Dana",
      expiresAt: "2027-01-01T00:00:00Z",
    })
    .returning(["networkId", "id"])
    .executeTakeFirstOrThrow();
  await prepareExport(
    {
      db,
      sessions: pool,
      standbys: from,
      onReportRead: (source) => void reads.push(source),
      now: () => Temporal.Instant.from("2026-06-30T12:00:00Z"),
      log: (line) => void said.push(line),
    },
    { networkId, id },
    new AbortController().signal,
  );
  const { bytes, read } = await exportFile(db, network.admin, id);
  return await text(read({ start: 0, end: bytes - 1 }));
}

test("every kind of report is read from the standby if the address names both servers", async () => {
  for (const type of exportTypes)
    await prepared({
      reportType: type.value,
      columns: type.columns.map((column) => column.value),
    });
  expect(new Set(reads)).toEqual(new Set(["standby"]));
  expect(reads).toHaveLength(exportTypes.length);
  expect(said).toEqual([]);
});

test("a report has everything committed before it was ordered, however far the standby lags", async () => {
  const impatient = await open(two.address(two.primary.port, two.standby.port), 500);
  await two.standby.administer("select pg_wal_replay_pause()");
  const late = (await makeAttorney(db, network)).email;
  expect(await prepared({ from: impatient })).toContain(late);
  await impatient.close();
  expect(reads).toEqual(["primary"]);
  const { port } = two.standby;
  expect(said).toEqual([
    expect.stringMatching(
      new RegExp(
        `^Report \\d+ is read from the primary, no standby: .*; 127\\.0\\.0\\.1:${port}: it lags by more than 0\\.5 s$`,
      ),
    ),
  ]);
  await two.standby.administer("select pg_wal_replay_resume()");
  const later = (await makeAttorney(db, network)).email;
  expect(await prepared()).toContain(later);
  expect(reads).toEqual(["primary", "standby"]);
});

test("a report that the standby breaks off is read from the primary", async () => {
  const locking = await pool.connect();
  await locking.query("begin; lock table debits in access exclusive mode"); // the standby replays it
  const reading = prepared({ columns: ["email", "balance"] });
  const isWaiting = `select pid from pg_stat_activity
    where query like 'copy (%' and wait_event_type = 'Lock'`;
  const waiting = async () => (await two.standby.administer(isWaiting)).length;
  await expect.poll(waiting, { timeout: 20_000 }).toBe(1);
  await two.standby.administer(`select pg_cancel_backend(pid) from (${isWaiting}) as waiting`);
  await expect.poll(() => said.length, { timeout: 20_000 }).toBe(1);
  await locking.query("rollback");
  locking.release();
  expect(await reading).toContain("@");
  expect(reads).toEqual(["primary"]);
});

test("without a standby, the primary is read; another database's address is refused", async () => {
  await expect(
    open(two.address(two.standby.port).replace("/referral_network?", "/postgres?")),
  ).rejects.toThrow(
    `DATABASE_READ_URL leads to another database than DATABASE_URL (127.0.0.1:${two.standby.port}). It must be the address of its standbys.`,
  );
  await two.standby.kill();
  expect(await prepared()).toContain("@");
  expect(reads).toEqual(["primary"]);
  await (await open(two.address(two.standby.port))).close();
  expect(said.at(-1)).toMatch(/^127\.0\.0\.1:\d+ of DATABASE_READ_URL cannot be reached \(/);
});
