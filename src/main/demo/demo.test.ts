import { sql } from "kysely";
import { Temporal } from "temporal-polyfill";
import { describe, expect } from "vitest";
import { plainDate } from "#kit/domain/calendar.ts";
import { makeDemo, openDemo } from "#main/demo.ts";
import { demoPassword } from "#access/sign-in/demo-passwords.ts";
import { showAttorney } from "#people/contract.ts";
import { listAttorneys } from "#panel/contract.ts";
import { showSession } from "#kit/contract/session.ts";
import { listBillingRuns, listDueButNotBilled, showCredit } from "#dues/ledger/contract.ts";
import { verifyLedger } from "#dues/ledger/verify-ledger.ts";
import { listMyMatters, listReports } from "#referrals/matters/contract.ts";
import { showSuspensionStatus } from "#referrals/suspension/contract.ts";
import { listMatters } from "#referrals/matters/matters.list.ts";
import { previewSuspensions } from "#referrals/suspension/contract.ts";
import { listPlans } from "#dues/plans/plans.list.ts";
import { anApp } from "#tests/support/running-app.ts";
import { aVisitor, type Visitor } from "#tests/support/visitor.ts";
import { app, appTest } from "#tests/support/app-test.ts";
import { inBriefOr } from "#tests/support/rounds.ts";

/** 1 a.m. in New York, still the evening before in Los Angeles. */
const clock = "2026-03-15T05:00:00Z";
const today = "2026-03-15";

const test = appTest({ clock });
test.beforeAll(async () => {
  await makeDemo(app.pool, () => Temporal.Instant.from(clock));
});

async function signedInAs(email: string): Promise<Visitor> {
  const visitor = aVisitor(app);
  const credentials = { email, password: demoPassword };
  expect((await visitor.send("POST", "/api/auth/sign-in/email", credentials)).status).toBe(200);
  return visitor;
}

async function recordOf(email: string) {
  const visitor = await signedInAs(email);
  const { user } = await visitor.call(showSession);
  return await visitor.call(showAttorney, { params: { id: user?.attorneyId } });
}

test("the demo is made once", async () => {
  expect(await makeDemo(app.pool, () => Temporal.Instant.from(clock))).toBe("there");
  const networks = await app.db.selectFrom("networks").select("id").execute();
  expect(networks).toHaveLength(2);
});

test("npm start prints the demo's sign-ins", async () => {
  const now = () => Temporal.Instant.from(clock);
  const lines = await openDemo(app.pool, { now, isPublic: false, print: () => undefined });
  const printed = (lines ?? []).join("\n");
  expect(demoPassword).toBe("demo-password-1");
  for (const text of ["admin@demo.test", "attorney@demo.test", "demo-password-1"])
    expect(printed).toContain(text);
});

test("the demo is still the demo under another name", async () => {
  const rename = (name: string) =>
    app.db.updateTable("networks").set({ name }).where("name", "like", "% County %").execute();
  await rename("Test County Bar");
  const found = await makeDemo(app.pool, () => Temporal.Instant.from(clock));
  await rename("Harbor County Lawyer Referral Service");
  expect(found).toBe("there");
});

test("a database with another network gets no demo", async () => {
  const other = await anApp();
  await other.db.insertInto("networks").values({ name: "Real", timeZone: "UTC" }).execute();
  expect(await makeDemo(other.pool, () => Temporal.Now.instant())).toBe("another");
  await other.close();
});

test.each([
  ["admin@demo.test", "admin", "Harbor County Lawyer Referral Service", "America/New_York"],
  ["attorney@demo.test", "attorney", "Harbor County Lawyer Referral Service", "America/New_York"],
  ["admin@lakeside.test", "admin", "Lakeside Bar Referral Service", "America/Los_Angeles"],
  ["attorney@lakeside.test", "attorney", "Lakeside Bar Referral Service", "America/Los_Angeles"],
])("%s signs in as %s of %s", async (email, role, networkName, timeZone) => {
  const visitor = await signedInAs(email);
  const { user } = await visitor.call(showSession);
  expect(user).toMatchObject({ role, networkName, timeZone });
});

describe("Harbor County", () => {
  test("has a panel of 41, some on vacation, some with accounts", async () => {
    const admin = await signedInAs("admin@demo.test");
    expect(await admin.call(listAttorneys)).toMatchObject({ total: 41 });
    expect(await admin.call(listAttorneys, { query: { status: "paused" } })).toMatchObject({
      total: 2,
    });
    await signedInAs("arthur.lindqvist@demo.test");
  });

  test("permits editing of matters and suspends nobody", async () => {
    const [network] = await app.db.selectFrom("networks").selectAll().orderBy("id").execute();
    expect(network).toMatchObject({
      permitsMatterEditing: true,
      suspendsOverdueAttorneys: false,
      overduePeriodInDays: 30,
      overduePeriodsSuspensionThreshold: 2,
    });
  });

  test("has plans of several frequencies, one of them archived", async () => {
    const plans = await (await signedInAs("admin@demo.test")).call(listPlans);
    expect(plans.map(({ paymentSchedule, archived }) => [paymentSchedule, archived])).toEqual([
      ["$60.00 every 12 months", false],
      ["$35.00 every month", false],
      ["$250.00 every 12 months", false],
      ["$40.00 every 6 months", true],
      ["$120.00 every 3 months", false],
      ["$75.00 every month", false],
    ]);
  });

  test("has a year of billing runs, and everything due is billed", async () => {
    const admin = await signedInAs("admin@demo.test");
    const runs = (await admin.call(listBillingRuns)).items;
    expect(runs[0]).toMatchObject({ asOf: today, failures: 0 });
    expect(runs.at(-1)).toMatchObject({ asOf: "2025-03-01" });
    expect(runs.length).toBeGreaterThan(12);
    for (const run of runs) {
      expect(run.startedAt <= `${run.finishedAt}`).toBe(true);
      expect(run.debits).toBeGreaterThan(0);
    }
    expect(await admin.call(listDueButNotBilled)).toEqual([]);
  });

  test("its attorney has at least three debits of $20 or more to pay, and a debit in every state", async () => {
    const { debits, checkPayments, subscriptionInstances } = await recordOf("attorney@demo.test");
    const pending = (debit: (typeof debits)[number]) =>
      debit.pendingPayments.reduce((sum, { quantity }) => sum + quantity, 0);
    expect(debits.filter((debit) => debit.balance - pending(debit) >= 2000)).toHaveLength(6);
    expect(subscriptionInstances).toHaveLength(4);

    const isOpen = (debit: (typeof debits)[number]) =>
      debit.balance === debit.amount && debit.pendingPayments.length === 0;
    expect(debits.some((debit) => isOpen(debit) && debit.dueDate <= today)).toBe(true);
    expect(
      debits.some((debit) => debit.balance < debit.amount && debit.adjustments.length === 0),
    ).toBe(true);
    expect(debits.some(({ pendingPayments }) => pendingPayments.length > 0)).toBe(true);
    expect(debits.some(({ dueDate }) => dueDate < "2026-01-15")).toBe(true);
    expect(debits.flatMap(({ adjustments }) => adjustments)).toMatchObject([
      { quantity: 2000, note: "Credit for the canceled seminar" },
    ]);
    expect(new Set(checkPayments.map(({ status }) => status))).toEqual(
      new Set(["pending", "approved", "denied"]),
    );
    for (const { createdAt } of checkPayments) expect(createdAt < clock).toBe(true);
    expect(checkPayments.map(({ createdAt }) => createdAt)).toEqual(
      checkPayments
        .map(({ createdAt }) => createdAt)
        .toSorted()
        .toReversed(),
    );
  });

  test("has credit received, applied by hand and automatically, and refunded", async () => {
    const { credit } = await recordOf("attorney@demo.test");
    expect(credit).toBe(4000);
    const admin = await signedInAs("admin@demo.test");
    const { items } = await admin.call(listAttorneys, { query: { search: "Bianchi" } });
    const held = await admin.call(showCredit, { params: { id: items[0]?.id } });
    expect([held.credit, held.entries.map(({ kind, amount }) => [kind, amount])]).toEqual([
      3500,
      [
        ["given_back", -2000],
        ["applied", -3500],
        ["applied", -6000],
        ["received", 15_000],
      ],
    ]);
  });

  test("has debits adjusted in both directions, and paid ones", async () => {
    const { rows } = await sql<{ up: number; down: number; paid: number; overdue: number }>`
      select count(*) filter (where cause = 'adjustment' and l.owed_cents > 0) as up,
        count(*) filter (where cause = 'adjustment' and l.owed_cents < 0) as down,
        count(*) filter (where cause = 'charge' and balance_cents = 0) as paid,
        count(*) filter (where cause = 'charge' and balance_cents > 0 and due_on < ${today}::date - 60) as overdue
      from debits d join entries l on l.network_id = d.network_id and l.debit_id = d.id`.execute(
      app.db,
    );
    for (const count of Object.values(rows[0] ?? {})) expect(count).toBeGreaterThan(5);
  });
});

describe("the referrals of the demo", () => {
  test("of its attorney include reports due exactly 60 and 61 days ago, and every other state", async () => {
    const attorney = await signedInAs("attorney@demo.test");
    const mine = await attorney.call(listMyMatters);
    const daysLate = mine.map(({ reportDueOn }) => plainDate(reportDueOn ?? "").until(today).days);
    expect(daysLate).toEqual([61, 60, 11, -2, -18]);
    expect(await attorney.call(showSuspensionStatus)).toMatchObject({
      suspended: false,
      overdue: 3,
      suspendsOn: null,
    });
    const admin = await signedInAs("admin@demo.test");
    const { user } = await attorney.call(showSession);
    const query = { attorney_id: user?.attorneyId, status: "closed" };
    const closed = await admin.call(listMatters, { query });
    expect(closed.total).toBe(2);
    const reports = await admin.call(listReports, { params: { id: closed.items[1]?.id } });
    expect(reports.map(({ outcome }) => outcome)).toEqual([
      "closed",
      "retained",
      "retained",
      "consulted",
    ]);
  });

  test("would suspend two attorneys if suspensions were on", async () => {
    const admin = await signedInAs("admin@demo.test");
    const preview = await admin.call(previewSuspensions);
    expect(preview.attorneys.map(({ name }) => name)).toEqual(["Quentin Hale", "Maya Okafor"]);
  });

  test("can be edited in Harbor County, not in Lakeside, and some have no attorney", async () => {
    for (const [email, permitEditing, total] of [
      ["admin@demo.test", true, 94],
      ["admin@lakeside.test", false, 10],
    ] as const) {
      const admin = await signedInAs(email);
      const page = await admin.call(listMatters, { query: { per_page: 200 } });
      expect(page.total).toBe(total);
      expect(page.items.every((matter) => matter.permitEditing === permitEditing)).toBe(true);
      expect(page.items.some(({ status }) => status === "new")).toBe(true);
      expect(page.items.some(({ status }) => status === "open")).toBe(true);
      for (const { submittedAt, referredAt } of page.items)
        expect((referredAt ?? submittedAt) >= submittedAt).toBe(true);
    }
  });
});

test("Lakeside has no plans and does not permit editing of matters", async () => {
  const admin = await signedInAs("admin@lakeside.test");
  expect(await admin.call(listPlans)).toEqual([]);
  expect((await admin.call(listAttorneys)).total).toBe(5);
  const [, network] = await app.db.selectFrom("networks").selectAll().orderBy("id").execute();
  expect(network).toMatchObject({ permitsMatterEditing: false });
});

test("has banked deposits, one with a returned check, an open one, and checks to deposit", async () => {
  const { rows } = await sql<object>`
    select count(*) filter (where banked_at is not null) > 5 as banked,
      count(*) filter (where banked_at is null) as open,
      count(distinct number) = max(number) as numbered,
      (select count(*) from received_checks k where k.status = 'returned' and k.deposit_id is not null) as returned,
      (select count(*) > 0 from received_checks k where k.status = 'approved' and k.deposit_id is null) as waiting
    from deposits`.execute(app.db);
  expect(rows).toEqual([{ banked: true, open: 1, numbered: true, returned: 1, waiting: true }]);
  const untold = await sql`
    select from deposits t where banked_at is not null and 2 > (
      select count(*) from audit_entries e
      where e.network_id = t.network_id and e.record_type = 'deposit' and e.record_id = t.id
        and e.action in ('made deposit', 'marked deposit as banked') and e.created_at = t.banked_at)`.execute(
    app.db,
  );
  expect(untold.rows).toEqual([]); // each has its history, on its own day
});

test("the demo's ledger is correct", async () => {
  const broken = (await verifyLedger(app.db, null)).filter(({ offenders }) => offenders > 0);
  expect(broken).toEqual([]);
});

const days = ["2024-02-29T12:00:00Z"];
const moreDays = [
  "2025-12-31T23:30:00Z",
  "2026-01-01T12:00:00Z",
  "2026-03-08T07:00:00Z",
  "2026-05-02T12:00:00Z",
];

test.each(inBriefOr(days, [...days, ...moreDays, "2026-07-31T12:00:00Z"]))(
  "the demo is complete on any day it is made: %s",
  async (instant) => {
    const other = await anApp({ clock: instant });
    await makeDemo(other.pool, () => Temporal.Instant.from(instant));
    const { rows } = await sql<{ payable: number; pending: number }>`
    select count(*) filter (where balance_cents - pending_cents >= 2000) as payable,
      count(*) filter (where pending_cents > 0) as pending
    from debits join users using (network_id, attorney_id) where email = 'attorney@demo.test'`.execute(
      other.db,
    );
    expect(rows[0]?.payable).toBeGreaterThanOrEqual(3);
    expect(rows[0]?.pending).toBe(1);
    const results = await verifyLedger(other.db, null);
    expect(results.filter(({ offenders }) => offenders > 0)).toEqual([]);
    await other.close();
  },
);
