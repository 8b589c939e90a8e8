import { setTimeout as pause } from "node:timers/promises";
import { afterAll, expect, onTestFinished } from "vitest";
import { dollarsText, cents } from "#kit/domain/money.ts";
import { queueMail } from "#outgoing/mail/outbox.ts";
import { aBalancer, type Balancer } from "#tests/support/balancer.ts";
import { adminIdentifier } from "#tests/support/cable.ts";
import { deploy, type Deployed } from "#tests/support/deployed.ts";
import { freePort } from "#tests/support/launched.ts";
import { MailServer } from "#tests/support/mail-server.ts";
import { Caller, OpenPage } from "#tests/support/open-page.ts";
import { makeAttorney } from "#tests/support/records/attorneys.ts";
import { type MadeNetwork } from "#main/demo/records/networks.ts";
import { makeNetwork } from "#tests/support/records/networks.ts";
import { makePlan } from "#main/demo/records/dues.ts";
import { makeDebit, makeEnrolment } from "#tests/support/records/dues.ts";
import { inBriefOr } from "#tests/support/rounds.ts";
import { dueDatesOf, ledgerOffences } from "#tests/support/ledger.ts";
import { signedIn } from "#tests/support/visitor.ts";
import { app, appTest } from "#tests/support/app-test.ts";

/*
 * Two web and two worker processes on one database, behind a balancer that never retries. Each is stopped and
 * restarted while people work: nobody notices.
 */

let network: MadeNetwork;
let balancer: Balancer;
let mailServer: MailServer;
let caller: Caller;
const running: Deployed[] = [];
const enrolments: number[] = [];

const test = appTest();
test.beforeAll(async () => {
  network = await makeNetwork(app.db, { timeZone: "UTC" });
  const plan = await makePlan(app.db, network);
  for (let made = 0; made < 5; made += 1)
    enrolments.push(await makeEnrolment(app.db, await makeAttorney(app.db, network), plan));
  mailServer = await MailServer.start();
  const webPorts = [await freePort(), await freePort()];
  balancer = await aBalancer(webPorts, "http");
  caller = new Caller(balancer.port, await signedIn(app, "admin", network));
  const enough = webPorts.map(async (port) => await start(port, "web"));
  for (const _ of [1, 2]) enough.push(start(await freePort(), "worker"));
  await Promise.all(enough);
});
afterAll(async () => {
  for (const each of running) each.signal("SIGKILL");
  balancer.close();
  await mailServer.close();
});

async function start(port: number, roles: string): Promise<void> {
  running.push(
    await deploy(port, {
      ROLES: roles,
      DATABASE_URL: app.connectionString,
      DATABASE_CONNECTIONS: "12",
      DATA_DIR: app.dataDir,
      APP_SECRET: app.secret,
      PUBLIC_URL: `http://127.0.0.1:${balancer.port}`,
      TRUST_PROXY: "1",
      STOP_SECONDS: "2400",
      RATE_LIMITS: "0",
      SMTP_URL: mailServer.url,
    }),
  );
  if (roles === "web") await balancer.knows(port);
}

/** As a supervisor does; the ten minutes for the balancer to notice are cut short once it has. */
async function stop(leaving: Deployed): Promise<void> {
  running.splice(running.indexOf(leaving), 1);
  leaving.signal("SIGTERM");
  if (leaving.roles === "web") await balancer.forgets(leaving.port);
  leaving.signal("SIGINT");
  expect({ code: await leaving.ended, said: leaving.stderr() }).toMatchObject({ code: 0 });
}

interface Account {
  attorneyId: number;
  debitId: number;
  owedCents: number;
}

async function someAccounts(count: number): Promise<Account[]> {
  const accounts: Account[] = [];
  for (let made = 0; made < count; made += 1) {
    const attorney = await makeAttorney(app.db, network);
    const debitId = await makeDebit(app.db, network, attorney, { dueOn: "2099-01-01" });
    accounts.push({ attorneyId: attorney.id, debitId, owedCents: 5_000 });
  }
  return accounts;
}

/** People at work: they read, change balances one after the other, and order reports; emails are sent. */
class Work {
  mails = 0;
  reports = 0;
  readonly #over = new AbortController();
  readonly #all: Promise<void>[];

  constructor(accounts: Account[]) {
    this.#all = [
      ...[0, 1, 2].map((one) =>
        this.#repeat(40, (turn) => raiseBalances(accounts, turn * 3 + one)),
      ),
      ...[0, 1, 2].map(() =>
        this.#repeat(
          inBriefOr(40, 10),
          async () => void (await caller.call("GET", "/lrs_subscriptions/")),
        ),
      ),
      this.#repeat(1_500, () => this.#orderReport()),
      this.#repeat(200, () => this.#mail()),
    ];
  }

  async end(): Promise<void> {
    this.#over.abort();
    await Promise.all(this.#all);
  }

  async #repeat(pauseMs: number, work: (turn: number) => Promise<void>): Promise<void> {
    for (let turn = 0; !this.#over.signal.aborted; turn += 1) {
      await work(turn);
      await pause(pauseMs);
    }
  }

  async #orderReport(): Promise<void> {
    this.reports += 1;
    await caller.call("POST", "/data_export.json", { report_type: "receivables_aging" });
  }

  async #mail(): Promise<void> {
    this.mails += 1;
    await queueMail(app.db, {
      networkId: network.id,
      userId: network.admin.userId,
      occasion: `work:${this.mails}`,
      recipient: `reader-${this.mails}@example.test`,
      subject: "Work",
      body: "It goes on.",
    });
  }
}

async function raiseBalances(accounts: Account[], turn: number): Promise<void> {
  const account = accounts[turn % accounts.length];
  if (!account) return;
  const body = { debit_id: account.debitId, direction: "increase", amount: "1.00" };
  if (await caller.call("POST", "/lrs_subscription_debit_adjustments/", body))
    account.owedCents += 100;
}

test("restarting each process in turn fails no request, loses no hint and doubles no job", async () => {
  const accounts = await someAccounts(60);
  const identifier = adminIdentifier(network);
  const pages = [new OpenPage(caller, identifier), new OpenPage(caller, identifier)];
  const work = new Work(accounts);

  onTestFinished(() => work.end());
  const inTurn = running.toSorted((one, other) => (one.roles < other.roles ? -1 : 1));
  for (const [index, each] of inTurn.entries()) {
    await stop(each);
    if (index === inTurn.length - 1) await work.end(); // the last one finds all jobs that are left
    await start(each.port, each.roles);
  }

  expect(caller.failures).toEqual([]);
  expect(caller.answers).toBeGreaterThan(200);
  await expectPagesCurrent(pages, accounts);
  expect(Math.max(...pages.map((page) => page.connections))).toBeGreaterThan(1);
  await Promise.all(pages.map((page) => page.close()));
  await expectAllDoneOnce(work);
  await Promise.all([...running].map(stop)); // a copy: a stopped process is removed
});

/** Each page shows the database's data, which is what was requested, once. */
async function expectPagesCurrent(pages: OpenPage[], accounts: Account[]): Promise<void> {
  const ids = accounts.map(({ attorneyId }) => attorneyId);
  const owed = accounts.map(({ owedCents }) => dollarsText(cents(owedCents)));
  for (const page of pages)
    await expect.poll(() => ids.map((id) => page.shown.get(id))).toEqual(owed);
  expect(await ledgerOffences(app.db, network.id)).toEqual([]);
  const rows = await app.db.selectFrom("debits").select(["id", "balanceCents"]).execute();
  const balances = new Map(rows.map((row) => [row.id, row.balanceCents as number]));
  expect(accounts.map(({ debitId }) => balances.get(debitId))).toEqual(
    accounts.map(({ owedCents }) => owedCents),
  );
}

async function expectAllDoneOnce(work: Work): Promise<void> {
  const patience = { timeout: 90_000 };
  await expect.poll(() => mailServer.received.length, patience).toBe(work.mails);
  expect(new Set(mailServer.received.map(({ messageId }) => messageId)).size).toBe(work.mails);
  await expect.poll(reportsByStatus, patience).toEqual({ ready: work.reports });
  for (const enrolment of enrolments) {
    const dates = await dueDatesOf(app.db, enrolment);
    expect(dates.length).toBeGreaterThan(0);
    expect(new Set(dates).size).toBe(dates.length);
  }
  const runs = await app.db.selectFrom("billingRuns").select(["finishedAt"]).execute();
  expect(runs.length).toBeGreaterThan(0);
  expect(runs.filter((run) => run.finishedAt === null)).toEqual([]);
}

async function reportsByStatus(): Promise<Record<string, number>> {
  const rows = await app.db.selectFrom("dataExports").select("status").execute();
  const counts: Record<string, number> = {};
  for (const { status } of rows) counts[status] = (counts[status] ?? 0) + 1;
  return counts;
}
