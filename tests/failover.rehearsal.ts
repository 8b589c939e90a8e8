import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Client } from "pg";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { Temporal } from "temporal-polyfill";
import { startSandboxes, type Sandboxes } from "#sandboxes/start.ts";
import { type Db, openDatabase, openPool } from "#db/database.ts";
import { bringUpToDate } from "#db/migrate.ts";
import { makeAccount, makeAttorney } from "#features/demo/records/attorneys.ts";
import { makeDebit, makePlan } from "#features/demo/records/dues.ts";
import { makeNetwork, type MadeNetwork } from "#features/demo/records/networks.ts";
import { sessionCookieName } from "#http/session.ts";
import { makeDemo } from "#main/demo.ts";
import { Clients, type Deed, type Desk } from "#tests/failover/clients.ts";
import { aPair, type Pair, type Said, type Server } from "#tests/failover/pair.ts";
import { start } from "#tests/faults/processes.ts";
import type { Session } from "#tests/faults/caller.ts";
import { adminIdentifier } from "#tests/support/cable.ts";
import { takesCards } from "#tests/support/card-network.ts";
import { databaseHealth } from "#tests/support/database-health.ts";
import { installedPostgres } from "#tests/support/own-postgres.ts";
import { deploy, type Deployed } from "#tests/support/deployed.ts";
import { freePort } from "#tests/support/launched.ts";
import { ledgerOffences } from "#tests/support/ledger.ts";
import { officialClient, subscribe } from "#tests/support/official-client.ts";
import { aSession } from "#tests/support/visitor.ts";

/*
 * What docs/operations.md says under "A standby", done with the files that it names: the primary is
 * killed outright while sixteen people record checks, bill and pay by card; the standby is promoted, the
 * old primary comes back as its standby, and the same again the other way: `npm run rehearse failover`.
 */

const database = "referral_network";
const serving = "referral_network_server";
const secret = "the rehearsal of a failover keeps no secrets";
const clientsAtOnce = 16;
/** The one bound that was promised: from the promotion's end until every process serves writes. */
const servesAgainWithinMs = 10_000;
/** A job that was handed to the worker as the primary died is begun again once its heartbeat is missed (decision 038). */
const worksAgainWithinMs = 40_000;

const generous = { timeout: 60_000, interval: 20 };
/** For a machine with much else to do. */
const patient = { timeout: 420_000 };

let pair: Pair;
let first: Server;
let second: Server;
let sandboxes: Sandboxes;
let folder: string;
let network: MadeNetwork;
let quiet: MadeNetwork;
/** Of the quiet network's administrator. */
let watching: Session;
let desk: Desk;
const processes: Deployed[] = [];
const told: string[] = [];

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "rn-failover-files-"));
  sandboxes = await startSandboxes({ port: 0 });
  pair = await aPair(database);
  [first, second] = pair.servers;
  await prepareDatabase();
});

afterAll(async () => {
  for (const process of processes) process.signal("SIGKILL");
  await Promise.all(processes.map(({ ended }) => ended));
  await sandboxes?.close();
  pair?.close();
  rmSync(folder, { recursive: true, force: true });
  for (const line of told) console.log(line);
});

async function prepareDatabase(): Promise<void> {
  await administer(`create role ${serving} login`, `create database ${database}`);
  await bringUpToDate({
    ownerConnectionString: first.address(database),
    directConnectionString: first.address(database).replace("operator@", `${serving}@`),
  });
  const pool = openPool({ connectionString: first.address(database), connections: 2 });
  const db = openDatabase(pool);
  try {
    await makeDemo(pool, () => Temporal.Now.instant()); // has the product open its card sandboxes
    network = await makeNetwork(db, { timeZone: "UTC" });
    quiet = await makeNetwork(db);
    watching = await sessionOf(db, quiet.admin.userId);
    await takesCards({ db, secret }, network, "anet");
    desk = {
      addresses: [],
      sandboxes,
      admin: await sessionOf(db, network.admin.userId),
      payers: await somePayers(db),
      plan: (await makePlan(db, network)).id,
      today: Temporal.Now.plainDateISO("UTC").toString(),
    };
  } finally {
    await pool.end();
  }
}

async function administer(...statements: string[]): Promise<void> {
  const client = new Client({ connectionString: first.address("postgres") });
  await client.connect();
  for (const statement of statements) await client.query(statement);
  await client.end();
}

async function somePayers(db: Db): Promise<Desk["payers"]> {
  const payers = [];
  for (let n = 0; n < clientsAtOnce; n += 1) {
    const attorney = await makeAttorney(db, network);
    const debit = await makeDebit(db, network, attorney, { amountCents: 90_000_000 });
    const { userId } = await makeAccount(db, network, attorney);
    payers.push({ session: await sessionOf(db, userId), attorneyId: attorney.id, debit });
  }
  return payers;
}

async function sessionOf(db: Db, userId: number): Promise<Session> {
  const { cookie, csrf } = await aSession({ db, secret }, userId);
  return { cookie: `${sessionCookieName(false)}=${cookie}`, csrf };
}

/** Of every process and command of the product: both hosts, whichever of them takes writes. */
const environment = () => ({
  DATABASE_URL: pair.addressOfBoth(serving, database),
  APP_SECRET: secret,
  DATA_DIR: folder,
  SANDBOX_PORT: new URL(sandboxes.origin).port,
  DEMO: "1",
  RATE_LIMITS: "0",
});

async function done(said: Promise<Said>): Promise<string> {
  expect(await said).toMatchObject({ status: 0 });
  return (await said).stdout;
}

async function refused(said: Promise<Said>, sentence: RegExp): Promise<void> {
  expect(await said).toMatchObject({ status: 1, stderr: expect.stringMatching(sentence) });
}

const follow = (standby: Server, primary: Server, ...more: string[]) =>
  standby.run("standby.sh", "--primary", pair.asPrimary(primary), "--name", standby.name, ...more);

async function streams(standby: Server, primary: Server): Promise<void> {
  const text =
    "select 1 from pg_stat_replication where application_name = $1 and state = 'streaming'";
  const isThere = async () => (await primary.ask(text, [standby.name])).length === 1;
  await vi.waitUntil(isThere, generous);
}

/** What the shipped check answers to /primary and /standby, which asks as it does in its unit. */
async function health({ port, passfile }: Server): Promise<number[]> {
  const check = await databaseHealth({
    PATH: `${installedPostgres()}:${process.env["PATH"] ?? ""}`,
    PGHOST: "127.0.0.1",
    PGPORT: String(port),
    PGUSER: "referral_network_replication",
    PGPASSFILE: passfile,
  });
  const said = [await check.status("/primary"), await check.status("/standby")];
  check.stop();
  return said;
}

async function takesWrites(server: Server): Promise<boolean> {
  const rows = await server.ask<{ does: boolean }>("select not pg_is_in_recovery() as does");
  return rows[0]?.does ?? false;
}

async function settingOf(server: Server): Promise<string> {
  const rows = await server.ask<{ names: string }>(
    "select current_setting('synchronous_standby_names') as names",
  );
  return rows[0]?.names ?? "";
}

test("a standby is made by the scripts, in their order", async () => {
  for (const _ of ["made", "repeated"])
    await done(first.run("psql", "--no-psqlrc", "--file=replication-role.sql", "postgres"));
  await refused(second.run("promote.sh"), /^PostgreSQL does not answer here/m);
  await refused(first.run("synchronous.sh", "on", "db_2"), /^No standby named db_2 streams/);
  await refused(follow(first, first), /^PostgreSQL runs in .*: stop it first\.$/m);
  expect(await done(follow(second, first, "--dry-run"))).toMatch(/^Would copy the primary's/);
  expect(existsSync(second.folder)).toBe(false);
  // As it is left when the copying is killed.
  const halfMade =
    "mkdir $PGDATA && echo 15 > $PGDATA/PG_VERSION && echo copy > $PGDATA.being-made";
  await done(second.run("bash", "-c", halfMade));
  second.environment["PEER"] = pair.asPrimary(first);
  await refused(
    second.run("one-primary.sh"),
    /^PostgreSQL is not started: standby.sh was interrupted/,
  );

  expect(await done(follow(second, first))).toMatch(
    /on the primary: deploy\/synchronous\.sh on db_2$/m,
  );
  second.start();
  await streams(second, first);
  expect(await done(follow(second, first))).toMatch(/already, and streams\.$/m);
  expect(await done(first.run("synchronous.sh", "--dry-run", "on", "db_2"))).toMatch(/^Would set/);
  expect(await settingOf(first)).toBe("");
  await done(first.run("synchronous.sh", "on", "db_2"));
  expect(await settingOf(first)).toBe("ANY 1 (db_2)");
  await refused(second.run("synchronous.sh", "off"), /^This server is a standby/);
});

test("nobody is promoted beside a primary that answers", async () => {
  await refused(first.run("promote.sh"), /^This server is a primary already/);
  await refused(second.run("promote.sh"), /^The old primary still answers/);
  await refused(second.run("promote.sh", "--dry-run"), /^Would be refused/);
  await refused(second.run("promote.sh", "--fence", "false"), /^The command of --fence failed/);
  await refused(
    second.run("promote.sh", "--fence", "true"),
    /^The old primary still answers after/,
  );
  expect(await second.ask("select pg_is_in_recovery() as is")).toEqual([{ is: true }]);
});

test("two web processes and a worker find the primary among both hosts", async () => {
  const [one, other, health] = [await freePort(), await freePort(), await freePort()];
  const start = async (port: number, more: { ROLES: string } & Record<string, string>) =>
    void processes.push(await deploy(port, { ...environment(), ...more }));
  await start(one, { ROLES: "web" });
  await start(other, { ROLES: "web" });
  await start(await freePort(), { ROLES: "worker", HEALTH_PORT: String(health) });
  expect(processes.map(({ roles }) => roles)).toEqual(["web", "web", "worker"]);
  desk.addresses = [one, other].map((port) => `http://127.0.0.1:${port}`);
});

test(
  "the primary dies and the standby goes on, with all that was acknowledged",
  patient,
  async () => {
    expect(await failOver(first, second)).toEqual([]);
  },
);

test("a load balancer is told which is which", async () => {
  expect(await health(second)).toEqual([200, 503]);
  expect(await health(first)).toEqual([503, 503]);
});

test("the old primary comes back as a standby, not as a second primary", async () => {
  first.environment["PEER"] = pair.asPrimary(second);
  await refused(first.run("one-primary.sh"), /^PostgreSQL is not started: the other machine has/);
  await refused(follow(first, second), /was a primary's\. With --rejoin/);
  await refused(follow(second, first), /^The primary does not answer/m);
  expect(await done(follow(first, second, "--rejoin", "--dry-run"))).toMatch(/by pg_rewind/);
  expect(await done(follow(first, second, "--rejoin"))).toMatch(
    /^What the primary does not have was/,
  );
  await done(first.run("one-primary.sh"));
  first.start();
  await streams(first, second);
  await done(second.run("synchronous.sh", "on", "db_1"));
  await vi.waitUntil(async () => (await health(first))[1] === 200, generous);
  expect(await health(first)).toEqual([503, 200]);
});

test("a second failover goes back", patient, async () => {
  expect(await failOver(second, first)).toEqual([]);
  const copied = await done(follow(second, first, "--anew"));
  expect(copied).toMatch(/^The primary's database was copied .* What was there is in /);
  second.start();
  await streams(second, first);
  await done(first.run("synchronous.sh", "on", "db_2"));
});

test(
  "while the standby is gone nothing is acknowledged, until commits wait for nobody",
  patient,
  async () => {
    await second.kill();
    const impatient = await anImpatientWrite(first);
    const clients = new Clients(desk);
    const waiting =
      "select count(*)::integer as n from pg_stat_activity where wait_event = 'SyncRep'";
    const waits = async () => (await first.ask<{ n: number }>(waiting))[0]?.n ?? 0;
    await vi.waitUntil(async () => (await waits()) > 0, generous);
    await vi.waitUntil(impatient.hasWaited, generous);
    expect(impatient.isAcknowledged()).toBe(false);
    expect(clients.acknowledgedBefore(performance.now())).toEqual([]);
    expect(await done(first.run("synchronous.sh"))).toMatch(
      /^waiting {4}[1-9]\d* commits for a standby$/m,
    );
    await done(first.run("synchronous.sh", "off"));
    await clients.end(() => letTimePass(first));
    await impatient.end();
    expect(await offences(clients, first)).toEqual([]);
    await refused(first.run("synchronous.sh", "on", "db_2"), /^No standby named db_2 streams/);
    second.start();
    await streams(second, first);
    await done(first.run("synchronous.sh", "on", "db_2"));
  },
);

test("a planned change stops the primary first, and is as quick", async () => {
  const fence = `pg_ctl stop --mode=fast --pgdata=${first.folder}`;
  expect(await done(second.run("promote.sh", "--dry-run", "--fence", fence))).toMatch(
    /^would +run: pg_ctl/m,
  );
  expect(await done(second.run("promote.sh", "--fence", fence))).toMatch(
    /^fenced +by: pg_ctl stop/m,
  );
  await done(follow(first, second, "--rejoin"));
  first.start();
  await streams(first, second);
});

test("what a commit costs that waits for the standby", async () => {
  await done(second.run("synchronous.sh", "on", "db_1"));
  const measured = await commitTimes(second);
  expect(measured.map(([, times]) => times.length)).toEqual([1000, 1000]);
  for (const [what, times] of measured)
    told.push(
      `a commit that waits for ${what}: half within ${atRank(times, 0.5)} ms, 99 % within ${atRank(times, 0.99)} ms`,
    );
});

/** Play a failover: kill `from` while everybody works, promote `to`, and answer what is there otherwise than it was said. */
async function failOver(from: Server, to: Server): Promise<string[]> {
  const clients = new Clients(desk);
  const screen = await aLiveScreen();
  const isBusy = () =>
    (["check", "card payment", "bill"] as const).every(
      (kind) =>
        clients.deeds.filter((deed) => deed.kind === kind && deed.acknowledgedAt).length >= 25,
    );
  await vi.waitUntil(isBusy, generous);
  expect(screen.told.messages).toEqual([]);

  const killedAt = performance.now();
  await from.kill();
  const acknowledged = clients.acknowledgedBefore(killedAt);
  const nobody = "host=127.0.0.1 port=1 user=nobody";
  await refused(to.run("promote.sh", "--other", nobody), /^The other standby does not answer/m);
  const begunAt = performance.now();
  // As a standby that has received as much as this one.
  const promoting = done(to.run("promote.sh", "--other", pair.asPrimary(to)));
  await vi.waitUntil(() => takesWrites(to), generous);
  const promotedAt = performance.now();
  const servedAgain = desk.addresses.map(async (address) => {
    // What was sent before may have been committed before, and be answered late.
    const firstAfter = () =>
      clients.acknowledged.get(address)?.find(({ sentAt }) => sentAt > begunAt);
    return (await vi.waitUntil(firstAfter, generous)).at - promotedAt;
  });
  const worked = jobDone(to).then(() => performance.now() - promotedAt);
  const refetched = vi
    .waitUntil(() => screen.told.messages.length > 0, generous)
    .then(() => performance.now() - promotedAt);
  const said = await promoting;
  expect(said).toMatch(/^promoted +it takes writes, on timeline \d+$/m);
  expect(await settingOf(to)).toBe("");

  const [one = Infinity, other = Infinity] = await Promise.all(servedAgain);
  const [worker, live] = [await worked, await refetched];
  const more = clients.deeds.length;
  await vi.waitUntil(() => clients.deeds.length > more + 50, generous);
  await clients.end(() => letTimePass(to));
  screen.close();

  const open = clients.leftOpenAt(killedAt);
  const last = Math.max(...acknowledged.map(({ acknowledgedAt: at }) => at ?? 0));
  const next = promotedAt + Math.min(one, other);
  const found = await marksIn(to, clients.deeds);
  const kept = acknowledged.filter(({ mark }) => found.get(mark) === 1).length;
  told.push(
    `${from.name} killed, ${to.name} promoted: ${acknowledged.length} writes were acknowledged before, ${kept} of them are there; ` +
      `${open.length} of unknown outcome were repeated and came out once; ` +
      `${clients.calledOff().length} card payments were called off before they reached the processor; ${clients.deeds.length} writes in all`,
    `  promoted ${seconds(promotedAt - begunAt)} after promote.sh began; web processes served writes after ${seconds(one)} and ${seconds(other)}, ` +
      `the worker did a job after ${seconds(worker)}, a live screen was told to refetch after ${seconds(live)}`,
    `  from the last write acknowledged before to the first one after: ${seconds(next - last)}`,
  );
  expect(
    processes.map((process) => process.stderr()).filter((line) => line.includes('"level":"fatal"')),
  ).toEqual([]);
  expect(kept).toBe(acknowledged.length);
  for (const late of [one, other, live]) expect(late).toBeLessThan(servesAgainWithinMs);
  expect(worker).toBeLessThan(worksAgainWithinMs);
  return await offences(clients, to);
}

/** What is not as it was answered, by our records, the ledger's own check and the card processor's records. */
async function offences(clients: Clients, primary: Server): Promise<string[]> {
  const found = await marksIn(primary, clients.deeds);
  const verifying = start({
    name: "verify-ledger",
    program: "src/main/cli.ts",
    args: ["verify-ledger"],
    env: environment(),
  });
  const code = await verifying.ended;
  const db = openDatabase(
    openPool({ connectionString: primary.address(database), connections: 2 }),
  );
  const offences = await ledgerOffences(db, network.id);
  await db.destroy();
  return [
    ...clients.refusals,
    ...clients.deeds.flatMap(({ kind, mark, statuses, acknowledgedAt }) => {
      const times = found.get(mark) ?? 0;
      return times === (acknowledgedAt === null ? 0 : 1)
        ? []
        : [`${kind} ${mark} is there ${times} times: ${statuses.join(", ")}`];
    }),
    ...(code === 0 ? [] : [`verify-ledger ended with ${code}: ${verifying.lastWords()}`]),
    ...offences,
    ...(await offencesOfCards(primary)),
  ];
}

/**
 * A card payment that was written down and never reached its processor is called off after minutes and two
 * looks at the processor's records: make it older, and due for the worker's next look.
 */
async function letTimePass(primary: Server): Promise<void> {
  await primary.ask(
    `update card_payments set created_at = created_at - interval '3 hours', next_look_at = now()
     where network_id = $1 and state = 'processing'`,
    [network.id],
  );
}

/** How often each thing that was asked for is there, with all that belongs to it. */
async function marksIn(server: Server, deeds: Deed[]): Promise<Map<string, number>> {
  const rows = await server.ask<{ mark: string; times: number }>(
    `select mark, count(*)::integer as times from (
       select check_number as mark from payment_allocations
       where network_id = $1 and check_number is not null
       union all
       select token_hash from card_payments where network_id = $1 and state = 'captured'
       union all
       select e.note from enrolments e
       join debits d on d.network_id = e.network_id and d.enrolment_id = e.id
       join ledger_entries l on l.network_id = d.network_id and l.debit_id = d.id and l.kind = 'charge'
       where e.network_id = $1
     ) as made where mark = any($2) group by mark`,
    [network.id, deeds.map(({ mark }) => mark)],
  );
  return new Map(rows.map(({ mark, times }) => [mark, times]));
}

/** Charges that the processor has and we do not, and the other way round. */
async function offencesOfCards(server: Server): Promise<string[]> {
  const rows = await server.ask<{ charge: string }>(
    `select c.transaction_id || ' over ' || p.amount_cents as charge from card_payments c
     join payments p on p.network_id = c.network_id and p.id = c.payment_id
     where c.network_id = $1 and c.state = 'captured'`,
    [network.id],
  );
  const ours = rows.map(({ charge }) => charge).toSorted();
  const theirs = sandboxes.anet
    .charges()
    .filter(({ state }) => state === "captured" || state === "settled")
    .map(({ id, amountCents }) => `${id} over ${amountCents}`)
    .toSorted();
  return [
    ...ours.filter((charge, at) => !theirs.includes(charge) || ours.indexOf(charge) < at),
    ...theirs.filter((charge) => !ours.includes(charge)),
  ].map((charge) => `not the same here and at the processor: ${charge}`);
}

/** The official client, signed in to a network in which nobody does anything: all it hears is to refetch. */
async function aLiveScreen() {
  const [address = ""] = desk.addresses;
  const { port } = new URL(address);
  const headers = { cookie: watching.cookie, origin: `http://localhost:${port}` };
  const client = officialClient(`ws://127.0.0.1:${port}/cable`, headers);
  const { told } = subscribe(client, JSON.parse(adminIdentifier(quiet)));
  await vi.waitUntil(() => told.events.includes("connected"), generous);
  return { told, close: () => client.consumer.disconnect() };
}

/** Resolves once the worker has done a job that was ordered here. */
async function jobDone(server: Server): Promise<void> {
  const job = "send-mail";
  const ordered = await server.ask<{ at: string }>("select now()::text as at");
  const isDone = async () => {
    await server.ask(
      `insert into pgboss.job (name, policy, retry_limit, heartbeat_seconds)
       select name, policy, retry_limit, heartbeat_seconds from pgboss.queue where name = $1
       on conflict do nothing`,
      [job],
    );
    const done = "select 1 from pgboss.job where completed_on > $1 limit 1";
    return (await server.ask(done, [ordered[0]?.at])).length > 0;
  };
  await vi.waitUntil(isDone, generous);
}

/** A write whose statement may take two seconds: that does not end what its commit waits for. */
async function anImpatientWrite(server: Server) {
  const client = new Client({
    connectionString: server.address(database),
    statement_timeout: 2_000,
    application_name: "impatient",
  });
  await client.connect();
  let isAcknowledged = false;
  const written = client
    .query("create temporary table impatient (); drop table impatient")
    .then(() => (isAcknowledged = true));
  const waiting = `select 1 from pg_stat_activity where application_name = 'impatient'
    and wait_event = 'SyncRep' and now() - query_start > interval '4 seconds'`;
  return {
    isAcknowledged: () => isAcknowledged,
    hasWaited: async () => (await server.ask(waiting)).length > 0,
    end: async () => {
      await written;
      await client.end();
    },
  };
}

/** In turns, since the machine may have other things to do at one moment than at the next. */
async function commitTimes(server: Server): Promise<[string, number[]][]> {
  const client = new Client({ connectionString: server.address(database) });
  await client.connect();
  await client.query("create table commit_times (n integer)");
  const kinds = [
    { what: "this machine's disk", setting: "local", times: [] as number[] },
    { what: "both machines' disks", setting: "on", times: [] as number[] },
  ];
  for (let n = 0; n < 1000; n += 1)
    for (const { setting, times } of kinds) {
      await client.query(`set synchronous_commit = ${setting}`);
      const begun = performance.now();
      await client.query("insert into commit_times values ($1)", [n]);
      times.push(performance.now() - begun);
    }
  await client.query("drop table commit_times");
  await client.end();
  return kinds.map(({ what, times }) => [what, times.toSorted((a, b) => a - b)]);
}

const atRank = (sorted: number[], share: number) =>
  (sorted[Math.floor(sorted.length * share)] ?? Number.NaN).toFixed(1);

const seconds = (ms: number) => `${(ms / 1000).toFixed(1)} s`;
