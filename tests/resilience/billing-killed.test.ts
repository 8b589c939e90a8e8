import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { setTimeout as after } from "node:timers/promises";
import * as fc from "fast-check";
import { sql } from "kysely";
import { expect, vi } from "vitest";
import { plainDate } from "#kit/domain/calendar.ts";
import { runBilling } from "#dues/ledger/billing-run.ts";
import { listActivity } from "#office/activity/contract.ts";
import { listBillingRuns } from "#dues/ledger/contract.ts";
import { verifyLedger } from "#dues/ledger/verify-ledger.ts";
import { type MadeNetwork } from "#main/demo/records/networks.ts";
import { makeNetwork } from "#tests/support/records/networks.ts";
import { makeAttorney, makePanel } from "#tests/support/records/attorneys.ts";
import { makePlan } from "#main/demo/records/dues.ts";
import { makeEnrolment, makeEnrolments } from "#tests/support/records/dues.ts";
import { signedIn, type Visitor } from "#tests/support/visitor.ts";
import { app, appTest } from "#tests/support/app-test.ts";

/* `npm run cli -- billing`, as a process of its own, killed at random moments. */

const root = join(import.meta.dirname, "../..");
const asOf = "2026-02-28";
/** More than one step of 10,000, so that a kill can leave some committed and some not. */
const enrolments = 14_000;

let network: MadeNetwork;
let twin: MadeNetwork;

const test = appTest({ connections: 4 });
test.beforeAll(async () => {
  network = await aNetworkThatOwes();
  twin = await aNetworkThatOwes();
});

async function aNetworkThatOwes(): Promise<MadeNetwork> {
  const made = await makeNetwork(app.db, { timeZone: "UTC" });
  const plan = await makePlan(app.db, made);
  const panel = await makePanel(app.db, made, 200);
  for (let days = 0; days < enrolments / panel.length; days += 1) {
    const startDate = plainDate("2026-02-01")
      .add({ days: days % 25 })
      .toString();
    await makeEnrolments(app.db, panel, plan, { startDate, enrolledOn: "2025-12-31" });
  }
  return made;
}

function startBilling({ id } = network): ChildProcess {
  const args = ["src/main/cli.ts", "billing", "--as-of", asOf, "--network", String(id)];
  return spawn(process.execPath, args, {
    cwd: root,
    stdio: ["ignore", "pipe", "pipe"],
    env: {
      ...process.env,
      DATABASE_URL: app.connectionString,
      APP_SECRET: "a secret that is long enough for this",
      NODE_ENV: "production",
    },
  });
}

const runsBegun = async () =>
  (
    await app.db
      .selectFrom("billingRuns")
      .select("id")
      .where("networkId", "=", network.id)
      .execute()
  ).length;

/** Kill a run some milliseconds after it is recorded, unless it has ended. */
async function killAfter(milliseconds: number): Promise<void> {
  const before = await runsBegun();
  const child = startBilling();
  const ended = once(child, "exit");
  while ((await runsBegun()) === before && child.exitCode === null) await after(5);
  await after(milliseconds);
  child.kill("SIGKILL");
  await ended;
}

/** Kill a run in its second step, which waits for a locked enrolment. */
async function killInSecondStep(): Promise<void> {
  const holding = await app.pool.connect();
  await holding.query("begin");
  await holding.query(
    "select from enrolments where network_id = $1 order by id desc limit 1 for update",
    [network.id],
  );
  const child = startBilling();
  let said = "";
  child.stderr?.on("data", (text) => (said += text));
  const ended = once(child, "exit");
  const isWaiting = async () => {
    if (child.exitCode !== null) throw new Error(`It ended with ${child.exitCode}: ${said}`);
    const { rows } = await app.pool.query(
      `select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
    );
    return rows.length > 0;
  };
  await vi.waitUntil(isWaiting, { timeout: 120_000, interval: 20 });
  child.kill("SIGKILL");
  await ended;
  await holding.query("rollback");
  holding.release();
}

/** Every debit, by the position of its enrolment in the network: the same for identical networks. */
async function ledgerOf({ id }: MadeNetwork): Promise<string[]> {
  const { rows } = await sql<{ line: string }>`
    select place || ' ' || d.period || ' ' || d.due_on || ' ' || d.balance_cents as line
    from (select id, row_number() over (order by id) as place from enrolments where network_id = ${id}) as e
    join debits d on d.network_id = ${id} and d.enrolment_id = e.id
    order by place, d.period`.execute(app.db);
  return rows.map((row) => row.line);
}

test("a run shows as running while its process lives, and as interrupted once it is killed", async () => {
  const small = await makeNetwork(app.db, { timeZone: "UTC" });
  await makeEnrolment(app.db, await makeAttorney(app.db, small), await makePlan(app.db, small));
  const admin = await signedIn(app, "admin", small);
  const runs = async () => (await admin.call(listBillingRuns)).items;
  const holder = await app.pool.connect();
  await holder.query("begin; lock table debits in exclusive mode");
  const child = startBilling(small);
  try {
    await expect.poll(async () => (await runs()).length, { timeout: 60_000 }).toBe(1);
    expect(await runs()).toMatchObject([{ finishedAt: null, isInterrupted: false }]);
    child.kill("SIGKILL");
    await expect
      .poll(runs, { timeout: 60_000 })
      .toMatchObject([{ finishedAt: null, isInterrupted: true, debits: 0 }]);
  } finally {
    child.kill("SIGKILL");
    await holder.query("rollback");
    holder.release();
  }
  await runBilling(app.db, small.admin, plainDate(asOf));
  const [last] = await runs();
  expect(last).toMatchObject({ isInterrupted: false, debits: 2 });
});

/** Each run that made debits or ended, with their number; also the killed run that made some. */
async function expectOneEntryOfEachRun(admin: Visitor): Promise<void> {
  const query = { record_type: "billing run" } as const;
  const { items } = await admin.call(listActivity, { query });
  const entries = items.map(({ recordId, after: made }) => ({ recordId, ...resultOf(made) }));
  const runs = (await admin.call(listBillingRuns)).items;
  expect(entries.map(({ recordId, debits }) => `${recordId}: ${debits}`).toSorted()).toEqual(
    runs
      .filter(({ debits, finishedAt }) => debits > 0 || finishedAt !== null)
      .map(({ id, debits }) => `${id}: ${debits}`)
      .toSorted(),
  );
  expect(entries.some(({ interrupted }) => interrupted)).toBe(true);
  expect(items.every(({ who }) => who !== "")).toBe(true);
}

function resultOf(made: unknown): { debits: number; interrupted?: boolean } {
  return JSON.parse(JSON.stringify(made));
}

test("a run that is killed and run again leaves the same ledger as an undisturbed run", async () => {
  const seed = Number(process.env["KILL_SEED"] ?? Math.trunc(Math.random() * 1e9));
  console.log(`Killing billing runs, KILL_SEED=${seed}`);
  await killInSecondStep();
  expect(await ledgerOf(network)).toHaveLength(10_000);
  const delays = fc.sample(fc.integer({ min: 0, max: 1_200 }), { seed, numRuns: 2 });
  for (const delay of delays) await killAfter(delay);

  const admin = await signedIn(app, "admin", network);
  const isOver = async () =>
    (await admin.call(listBillingRuns)).items.every((run) => run.finishedAt ?? run.isInterrupted);
  await expect.poll(isOver, { timeout: 60_000 }).toBe(true);
  // Locks of the killed processes' connections are released without help; this run waits for that.
  const last = await runBilling(app.db, network.admin, plainDate(asOf));
  expect(last).toMatchObject({ failures: 0 });
  await expectOneEntryOfEachRun(admin);
  await runBilling(app.db, twin.admin, plainDate(asOf));
  expect(await ledgerOf(network)).toEqual(await ledgerOf(twin));
  const broken = (await verifyLedger(app.db, null)).filter((check) => check.offenders > 0);
  expect(broken).toEqual([]);
});
