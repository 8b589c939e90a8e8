import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, beforeEach, expect, test, vi } from "vitest";
import { type Db, openDatabase, openPool } from "#kit/db/database.ts";
import { migrateAsOwner } from "#kit/db/migrate.ts";
import { makeAttorney } from "#tests/support/records/attorneys.ts";
import { makeDebit } from "#tests/support/records/dues.ts";
import { type MadeNetwork } from "#main/demo/records/networks.ts";
import { makeNetwork } from "#tests/support/records/networks.ts";
import { verifyLedger } from "#dues/ledger/verify-ledger.ts";
import { resolveTls } from "#kit/db/database-tls.ts";
import { deploy, type Deployed } from "#tests/support/deployed.ts";
import { freePort } from "#tests/support/launched.ts";
import {
  aPatroniCluster,
  type Cluster,
  type Node,
  patient,
} from "#tests/support/patroni-cluster.ts";
import { RecordedChecks } from "#tests/support/recorded-checks.ts";

/*
 * docs/standby.md with the shipped deploy/patroni.yml: two nodes, etcd, the built server, and eight people
 * who record checks: `npm run rehearse failover`. A paused primary that resumes is not tested: only a
 * watchdog stops one, and it resets the machine.
 */

const secret = "the rehearsal of a failover keeps no secrets";
const database = "referral_network";
const serving = "referral_network_server";

let cluster: Cluster;
let db: Db;
let network: MadeNetwork;
let folder: string;
let server: Deployed;
let checks: RecordedChecks;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "rn-failover-files-"));
  cluster = await aPatroniCluster();
  await cluster.administer(
    "postgres",
    `create role ${serving} login password 'of-a-rehearsal'`,
    `create database ${database}`,
  );
  const [owner, direct] = [await opened("postgres"), await opened(serving)];
  await migrateAsOwner({ ownerConnectionString: owner, directConnectionString: direct });
  db = openDatabase(openPool({ connectionString: owner, connections: 2 }));
  network = await makeNetwork(db, { timeZone: "UTC" });
  for (let n = 0; n < 50; n += 1) {
    const attorney = await makeAttorney(db, network);
    await makeDebit(db, network, attorney, { amountCents: 90_000_000 });
  }
  const port = await freePort();
  const address = `http://127.0.0.1:${port}`;
  server = await deploy(port, {
    ROLES: "web,worker",
    DATABASE_URL: cluster.address(serving, database),
    APP_SECRET: secret,
    DATA_DIR: folder,
    PUBLIC_URL: address,
    RATE_LIMITS: "0",
  });
  checks = await RecordedChecks.begin("failover", { address, db, secret, network });
}, 600_000);

afterAll(async () => {
  await checks?.pause();
  server?.signal("SIGKILL");
  await server?.ended;
  await db?.destroy();
  cluster?.close();
  rmSync(folder, { recursive: true, force: true });
}, 120_000);

const opened = async (role: string) =>
  await resolveTls(cluster.address(role, database), "DATABASE_URL");

const answers = async (node: Node, path: string) =>
  await vi.waitUntil(async () => (await node.health(path)) === 200, patient);

async function someChecks(more: number): Promise<void> {
  const before = checks.acknowledged.size;
  await vi.waitUntil(() => checks.acknowledged.size - before > more, patient);
}

/** The primary, and its standby, once commits wait for the standby. */
async function primaryAndStandby(): Promise<{ primary: Node; standby: Node }> {
  return await vi.waitUntil(async () => {
    for (const [primary, standby] of [cluster.nodes, cluster.nodes.toReversed()] as [Node, Node][])
      if (
        (await primary.health("/primary")) === 200 &&
        (await standby.health("/synchronous")) === 200
      )
        return { primary, standby };
    return false;
  }, patient);
}

/** The longest time without an acknowledgement after `since`, in seconds. */
function longestGap(since: number): string {
  const moments = [...checks.acknowledged.values()]
    .filter((at) => at > since - 5_000)
    .toSorted((a, b) => a - b);
  const gaps = moments.slice(1).map((at, index) => at - (moments[index] ?? at));
  return (Math.max(...gaps) / 1000).toFixed(1);
}

/** The standby takes over, the product finds it, and nothing acknowledged is missing. */
async function expectFailover(what: string, since: number, standby: Node): Promise<void> {
  const before = [...checks.acknowledged.values()].filter((at) => at < since).length;
  await answers(standby, "/primary");
  const promoted = ((Date.now() - since) / 1000).toFixed(1);
  await someChecks(200);
  const missing = await checks.missingIn(db);
  console.log(
    `failover: ${what}: the standby took over after ${promoted} s; ${longestGap(since)} s without an ` +
      `acknowledged check; ${before} were acknowledged before, ${checks.acknowledged.size} in all, ${missing.length} are missing`,
  );
  expect(missing).toEqual([]);
}

beforeEach(async () => await someChecks(200), patient.timeout);

test("the primary dies with its Patroni: the standby takes over with all that was acknowledged", async () => {
  const { primary, standby } = await primaryAndStandby();
  const since = Date.now();
  primary.kill();
  await expectFailover("killed", since, standby);
  primary.start(); // pg_rewind removes what only it had
  expect(await primaryAndStandby()).toEqual({ primary: standby, standby: primary });
}, 900_000);

test("the primary is cut off from etcd and its standby, but not from the product: the standby takes over", async () => {
  const { primary, standby } = await primaryAndStandby();
  const since = Date.now();
  primary.isolate();
  await expectFailover("cut off", since, standby);
  expect(await primary.health("/primary")).not.toBe(200);
  primary.reconnect();
  expect(await primaryAndStandby()).toEqual({ primary: standby, standby: primary });
}, 900_000);

test("the ledger has no fault, and the server process never restarted", async () => {
  await checks.pause();
  expect(await checks.missingIn(db)).toEqual([]);
  const found = await verifyLedger(db, null);
  expect(found.filter(({ offenders }) => offenders > 0)).toEqual([]);
  expect(server.stderr()).not.toContain('"level":"fatal"');
}, 300_000);
