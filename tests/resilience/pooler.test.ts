import { Client } from "pg";
import { afterAll, afterEach, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { createApp } from "#main/app.ts";
import { openPool } from "#kit/db/database.ts";
import { openConfiguredDatabase } from "#kit/db/configured-database.ts";
import { adminIdentifier, cookiesOf } from "#tests/support/cable.ts";
import { deploy, type Deployed } from "#tests/support/deployed.ts";
import { freePort } from "#tests/support/launched.ts";
import { Caller, OpenPage } from "#tests/support/open-page.ts";
import { makeAttorney } from "#tests/support/records/attorneys.ts";
import { type MadeNetwork } from "#main/demo/records/networks.ts";
import { makeNetwork } from "#tests/support/records/networks.ts";
import { installed } from "#tests/support/installed.ts";
import { aPgbouncer } from "#tests/support/pgbouncer.ts";
import { makePlan } from "#main/demo/records/dues.ts";
import { makeDebit, makeEnrolment } from "#tests/support/records/dues.ts";
import { dueDatesOf, standingOf } from "#tests/support/ledger.ts";
import { aRelayTo } from "#tests/support/relay.ts";
import { inBriefOr } from "#tests/support/rounds.ts";
import { anApp, type RunningApp } from "#tests/support/running-app.ts";
import { aTransactionPooler, type Pooler } from "#tests/support/transaction-pooler.ts";
import { signedIn } from "#tests/support/visitor.ts";

/*
 * Statements through a transaction pooler, the rest directly to the database: with our own stand-in, which
 * moves every transaction to another session, and with pgbouncer where it is installed.
 */

const ours = ["a transaction pooler", aTransactionPooler] as const;
const pgbouncers = installed("pgbouncer").map(
  (program) => ["pgbouncer", (address: string) => aPgbouncer(program, address)] as const,
);
const poolers: (readonly [string, (address: string) => Promise<Pooler>])[] = inBriefOr(
  [ours],
  [ours, ...pgbouncers],
);

const limits = ["statement_timeout", "lock_timeout", "idle_in_transaction_session_timeout"];

describe.each(poolers)("behind %s", (_, open) => {
  let app: RunningApp;
  let network: MadeNetwork;
  let pooler: Pooler;
  let running: Deployed | undefined;

  beforeAll(async () => {
    app = await anApp();
    network = await makeNetwork(app.db, { timeZone: "UTC" });
  });
  afterEach(async () => {
    running?.signal("SIGKILL");
    await pooler.close();
  });
  afterAll(() => app.close());

  const opening = (databaseUrl: string, databaseDirectUrl: string | null) =>
    openConfiguredDatabase(
      { databaseUrl, databaseDirectUrl, migrateDatabaseUrl: null, dataDir: app.dataDir },
      () => undefined,
    );

  test("a pooler is refused as the only address, and without limits of its own", async () => {
    pooler = await open(app.connectionString);
    await expect(opening(pooler.connectionString, null)).rejects.toThrow(
      /^DATABASE_URL leads through a pooler\. Also set DATABASE_DIRECT_URL /,
    );
    await expect(opening(pooler.connectionString, app.connectionString)).rejects.toThrow(
      /^Statements through DATABASE_URL have no idle_in_transaction_session_timeout, no lock_timeout, no statement_timeout\. /,
    );
    // Nor is it mistaken for anything else while the process tries whether it speaks TLS.
    const unsaid = (address: string) => address.replace("?sslmode=disable", "");
    await expect(
      opening(unsaid(pooler.connectionString), unsaid(app.connectionString)),
    ).rejects.toThrow(/^Statements through DATABASE_URL have no /);
    await expect(opening(unsaid(pooler.connectionString), null)).rejects.toThrow(
      /^DATABASE_URL leads through a pooler\. /,
    );
  });

  test("while PostgreSQL is down every call answers 503, and the process is not ready", async () => {
    const behind = new URL(app.connectionString);
    const relay = await aRelayTo(Number(behind.port));
    onTestFinished(() => relay.close());
    behind.port = String(relay.port);
    pooler = await open(behind.href);
    const admin = await signedIn(app, "admin", network);
    const pool = openPool({ ...pooler, isPooled: true, isPipelined: true, connections: 4 });
    const server = await createApp({
      pool,
      directConnectionString: app.connectionString,
      secret: app.secret,
      publicUrl: "http://localhost:3000",
      origins: [],
      now: app.server.now,
      rateLimits: false,
      trustedProxies: 0,
      logLevel: "silent",
      sendsMail: false,
      webFolder: null,
      metricsToken: null,
    });
    onTestFinished(async () => {
      await server.close();
      await pool.end();
    });
    const plan = { name: "Dues", payment_amount: 5, payment_frequency_in_months: 1 };
    const headers = { cookie: cookiesOf(admin), "x-csrf-token": admin.csrf };
    const calls = [
      { method: "GET", url: "/readyz" },
      { method: "GET", url: "/lrs_subscriptions/", headers },
      { method: "POST", url: "/lrs_subscriptions/", headers, payload: plan },
    ] as const;
    const answers = async () =>
      (await Promise.all([...calls, ...calls, ...calls].map((call) => server.inject(call)))).map(
        ({ statusCode }) => statusCode,
      );
    await expect.poll(answers).toEqual(Array(9).fill(200));
    relay.refuse();
    // Calls with a dead session, calls waiting for one, and new ones.
    for (let round = 0; round < 3; round += 1) expect(await answers()).toEqual(Array(9).fill(503));
    relay.accept();
    await expect.poll(answers).toEqual(Array(9).fill(200));
  });

  test("calls, hints, reports and jobs work, within the role's limits", async () => {
    for (const limit of limits)
      await app.pool.query(
        `do $$ begin execute format('alter role %I in database %I set ${limit} = ''20s''',
          current_user, current_database()); end $$`,
      );
    pooler = await open(app.connectionString);
    const enrolment = await makeEnrolment(
      app.db,
      await makeAttorney(app.db, network),
      await makePlan(app.db, network),
    );
    const port = await freePort();
    running = await deploy(port, {
      ROLES: "web,worker",
      DATABASE_URL: pooler.connectionString,
      DATABASE_DIRECT_URL: app.connectionString,
      DATA_DIR: app.dataDir,
      APP_SECRET: app.secret,
    });
    const caller = new Caller(port, await signedIn(app, "admin", network));
    const page = new OpenPage(caller, adminIdentifier(network));
    await expect.poll(() => page.connections).toBe(1);

    const attorney = await makeAttorney(app.db, network);
    const debit = await makeDebit(app.db, network, attorney, { dueOn: "2099-01-01" });
    for (let raised = 0; raised < 10; raised += 1)
      await caller.call("POST", "/lrs_subscription_debit_adjustments/", {
        debit_id: debit,
        direction: "increase",
        amount: "1.00",
      });
    await expect.poll(() => page.shown.get(attorney.id)).toBe("60.00");
    // Sent with the record that answers it in one request: each may reach another session.
    const checks = Array.from({ length: 20 }, (_, number) =>
      caller.call("POST", "/lrs_subscription_check_payments/", {
        payment_hash: { [debit]: "1.00" },
        check_number: `1${number}`,
      }),
    );
    expect((await Promise.all(checks)).every((record) => record !== null)).toBe(true);
    expect(await standingOf(app.db, debit)).toEqual({ balance: 6_000, pending: 2_000 });
    await caller.call("POST", "/data_export.json", { report_type: "receivables_aging" });
    const states = async () =>
      (await app.db.selectFrom("dataExports").select("status").execute()).map((row) => row.status);
    await expect.poll(states).toEqual(["ready"]);
    await expect.poll(async () => (await dueDatesOf(app.db, enrolment)).length).toBeGreaterThan(0);
    expect(await limitsThrough(pooler)).toEqual(["20s", "20s", "20s"]);
    await page.close();
    running.signal("SIGTERM");
    expect(await running.ended.then((code) => [code, running?.stderr()])).toEqual([0, ""]);
    expect(caller.failures).toEqual([]);
  });
});

async function limitsThrough(pooler: Pooler): Promise<(string | undefined)[]> {
  const client = new Client({ connectionString: pooler.connectionString });
  await client.connect();
  const inForce: (string | undefined)[] = [];
  for (const limit of limits) {
    const { rows } = await client.query<{ value: string }>(
      `select current_setting('${limit}') as value`,
    );
    inForce.push(rows[0]?.value);
  }
  await client.end();
  return inForce;
}
