import { sql } from "kysely";
import { describe, expect } from "vitest";
import { plainDate } from "#kit/domain/calendar.ts";
import { isLostConnection } from "#kit/db/lost-connection.ts";
import { inTransaction } from "#kit/db/transaction.ts";
import { createDueDebits } from "#dues/ledger/billing.ts";
import { openBillingRunLock, runsWithoutLock } from "#dues/ledger/billing-run-lock.ts";
import { dryRunBilling, runBilling } from "#dues/ledger/billing-run.ts";
import { listBillingRuns, listDueButNotBilled } from "#dues/ledger/contract.ts";
import { endEnrolment, enrollAttorney } from "#dues/plans/enrolments.ts";
import { type MadeNetwork } from "#main/demo/records/networks.ts";
import { makeNetwork } from "#tests/support/records/networks.ts";
import { makeAttorney, makePanel } from "#tests/support/records/attorneys.ts";
import { makePlan } from "#main/demo/records/dues.ts";
import { makeEnrolments, makeEnrolment } from "#tests/support/records/dues.ts";
import { dueDatesOf, ledgerOffences } from "#tests/support/ledger.ts";
import { signedIn } from "#tests/support/visitor.ts";
import { app, appTest } from "#tests/support/app-test.ts";

const test = appTest({ asOwner: true, clock: "2026-05-10T12:00:00Z", connections: 12 });

const run = (network: MadeNetwork, asOf: string) =>
  runBilling(app.db, network.admin, plainDate(asOf));

/** A network with enrolments on a 31st in a monthly plan of $50, made before they start. */
async function aNetworkThatOwes(enrolments: number, startDate = "2026-01-31") {
  const network = await makeNetwork(app.db);
  const plan = await makePlan(app.db, network);
  const panel = await makePanel(app.db, network, enrolments);
  const enrolledOn = plainDate(startDate).subtract({ days: 1 }).toString();
  await makeEnrolments(app.db, panel, plan, { startDate, enrolledOn });
  return { network, plan, panel };
}

async function debitsOf(network: MadeNetwork): Promise<number> {
  const { count } = await app.db
    .selectFrom("debits")
    .where("networkId", "=", network.id)
    .select((select) => select.fn.countAll<number>().as("count"))
    .executeTakeFirstOrThrow();
  return count;
}

describe("a billing run", () => {
  test("bills each period through its day, each on its own date", async () => {
    const network = await makeNetwork(app.db);
    const attorney = await makeAttorney(app.db, network);
    const enrolment = await makeEnrolment(app.db, attorney, await makePlan(app.db, network));
    expect(await run(network, "2026-04-29")).toMatchObject({ debits: 3, amountCents: 15_000 });
    expect(await run(network, "2026-04-30")).toMatchObject({ debits: 1, amountCents: 5_000 });
    expect(await dueDatesOf(app.db, enrolment)).toEqual([
      "2026-01-31",
      "2026-02-28",
      "2026-03-31",
      "2026-04-30",
    ]);
  });

  test("adds nothing when repeated or run for an earlier day", async () => {
    const { network } = await aNetworkThatOwes(3);
    await run(network, "2026-03-31");
    expect(await run(network, "2026-03-31")).toMatchObject({ debits: 0, amountCents: 0 });
    expect(await run(network, "2026-02-01")).toMatchObject({ debits: 0 });
    expect(await debitsOf(network)).toBe(9);
  });

  test("after an outage, bills every period missed, one debit each", async () => {
    const { network } = await aNetworkThatOwes(2);
    await run(network, "2026-01-31");
    expect(await run(network, "2027-01-31")).toMatchObject({ debits: 24 });
    expect(await ledgerOffences(app.db, network.id)).toEqual([]);
  });

  test("can be for a future day, and a later enrolment is still billed when due", async () => {
    const { network, plan } = await aNetworkThatOwes(1);
    await run(network, "2027-12-31");
    const attorney = await makeAttorney(app.db, network);
    const wanted = {
      attorney_id: attorney.id,
      lrs_subscription_id: plan.id,
      start_date: "2026-06-15",
      bill_immediately: false,
      note: "",
    };
    await inTransaction(app.db, (tx) =>
      enrollAttorney(tx, network.admin, wanted, plainDate("2026-05-10")),
    );
    expect(await run(network, "2026-06-14")).toMatchObject({ debits: 0 });
    expect(await run(network, "2026-06-15")).toMatchObject({ debits: 1 });
    expect(await run(network, "2027-12-31")).toMatchObject({ debits: 18 });
  });

  test("does not bill other networks", async () => {
    const [one, other] = [await aNetworkThatOwes(2), await aNetworkThatOwes(2)];
    await run(one.network, "2026-02-28");
    expect(await debitsOf(one.network)).toBe(4);
    expect(await debitsOf(other.network)).toBe(0);
  });

  test("of a network without enrolments creates nothing", async () => {
    const network = await makeNetwork(app.db);
    expect(await run(network, "2026-02-28")).toMatchObject({ debits: 0, failures: 0 });
  });

  test("as a dry run, returns the same figures and writes nothing", async () => {
    const { network } = await aNetworkThatOwes(4);
    const rehearsed = await dryRunBilling(app.db, network.id, plainDate("2026-03-31"));
    expect(await debitsOf(network)).toBe(0);
    const real = await run(network, "2026-03-31");
    expect(rehearsed).toMatchObject(real);
    expect(real).toMatchObject({ debits: 12, amountCents: 60_000 });
  });
});

describe("concurrent billing runs", () => {
  test("bill each period once", async () => {
    const { network } = await aNetworkThatOwes(400);
    const figures = await Promise.all([run(network, "2026-06-30"), run(network, "2026-06-30")]);
    expect(figures.map((figure) => figure.failures)).toEqual([0, 0]);
    expect(figures.reduce((added, figure) => added + figure.debits, 0)).toBe(400 * 6);
    expect(await debitsOf(network)).toBe(400 * 6);
    expect(await ledgerOffences(app.db, network.id)).toEqual([]);
  });

  test("repeat a step when another run has created one of its debits", async () => {
    const { network } = await aNetworkThatOwes(3);
    const asOf = plainDate("2026-02-28");
    const { rows } = await sql<{ id: number }>`
      select max(id) as id from enrolments where network_id = ${network.id}`.execute(app.db);
    const { running } = await inTransaction(app.db, async (tx) => {
      await createDueDebits(tx, { networkId: network.id, asOf, enrolmentId: rows[0]?.id ?? 0 });
      const running = run(network, asOf.toString());
      await somebodyWaits();
      return { running };
    });
    expect(await running).toMatchObject({ debits: 4, failures: 0 });
    expect(await debitsOf(network)).toBe(6);
  });

  test("for many different days bill the same as one run for the latest day", async () => {
    const { network } = await aNetworkThatOwes(100);
    const days = [
      "2026-03-31",
      "2026-06-30",
      "2026-01-31",
      "2026-05-31",
      "2026-04-15",
      "2026-06-30",
    ];
    const figures = await Promise.all(days.map((day) => run(network, day)));
    expect(figures.map((figure) => figure.failures)).toEqual(days.map(() => 0));
    expect(await debitsOf(network)).toBe(100 * 6);
    expect(await run(network, "2026-06-30")).toMatchObject({ debits: 0 });
  });

  test("and new enrolments leave nothing due unbilled", async () => {
    const { network, plan } = await aNetworkThatOwes(300);
    const latecomers = await makePanel(app.db, network, 40);
    const wanted = (attorney: number) => ({
      attorney_id: attorney,
      lrs_subscription_id: plan.id,
      start_date: "2026-04-20",
      bill_immediately: false,
      note: "",
    });
    const enrolling = latecomers.map((attorney) =>
      inTransaction(app.db, (tx) =>
        enrollAttorney(tx, network.admin, wanted(attorney), plainDate("2026-04-10")),
      ),
    );
    const days = ["2026-05-31", "2026-08-31", "2026-08-31"];
    await Promise.all([...enrolling, ...days.map((day) => run(network, day))]);
    // A later run finds what an earlier one left.
    await run(network, "2026-08-31");
    expect(await debitsOf(network)).toBe(300 * 8 + 40 * 5);
    expect(await dryRunBilling(app.db, network.id, plainDate("2026-08-31"))).toMatchObject({
      debits: 0,
    });
  });

  test("and unsubscribing leave each attorney owing all periods up to some day", async () => {
    const { network } = await aNetworkThatOwes(60);
    const { rows: enrolments } = await sql<{ id: number }>`
      select id from enrolments where network_id = ${network.id} order by id`.execute(app.db);
    const leaving = enrolments.filter((_, index) => index % 2 === 0);
    const today = plainDate("2026-03-01");
    await Promise.all([
      run(network, "2026-12-31"),
      ...leaving.map(({ id }) =>
        inTransaction(app.db, (tx) => endEnrolment(tx, network.admin, id, today)),
      ),
    ]);
    await run(network, "2027-12-31");
    const { rows } = await sql<{ ended: boolean; periods: number[] }>`
      select e.archived_at is not null as ended, array_agg(d.period order by d.period) as periods
      from enrolments e join debits d on d.enrolment_id = e.id
      where e.network_id = ${network.id} group by e.id, e.archived_at`.execute(app.db);
    expect(rows).toHaveLength(60);
    for (const { ended, periods } of rows) {
      expect(periods).toEqual(periods.map((_, index) => index));
      // Two periods if unsubscribed before the run's step; after it, the year that was billed.
      expect(ended ? [2, 12] : [24]).toContain(periods.length);
    }
  });
});

describe("an enrolment made while a run", () => {
  const latecomer = async (network: MadeNetwork, planId: number) => ({
    attorney_id: (await makeAttorney(app.db, network)).id,
    lrs_subscription_id: planId,
    start_date: "2026-04-20",
    bill_immediately: false,
    note: "",
  });
  const today = plainDate("2026-04-10");

  test("starts is waited for, and billed by it", async () => {
    const { network, plan } = await aNetworkThatOwes(1);
    const wanted = await latecomer(network, plan.id);
    const enrolling = await app.db.startTransaction().execute();
    await enrollAttorney(enrolling, network.admin, wanted, today);
    const running = run(network, "2026-06-30");
    await somebodyWaits();
    await enrolling.commit().execute();
    expect(await running).toMatchObject({ debits: 6 + 3 });
  });

  test("is past its place is billed before the run closes", async () => {
    const { network, plan } = await aNetworkThatOwes(1);
    const holding = await app.db.startTransaction().execute();
    await sql`select from enrolments where network_id = ${network.id} for update`.execute(holding);
    const running = run(network, "2026-06-30");
    await somebodyWaits(); // the run's step waits for the locked row
    const wanted = await latecomer(network, plan.id);
    await inTransaction(app.db, (tx) => enrollAttorney(tx, network.admin, wanted, today));
    await holding.rollback().execute();
    expect(await running).toMatchObject({ debits: 6 + 3 });
  });
});

/** Wait until a connection to this test's database waits for a lock. */
async function somebodyWaits(): Promise<void> {
  for (;;) {
    const { rows } = await sql<{ waits: boolean }>`
      select exists (select from pg_stat_activity
        where datname = current_database() and wait_event_type = 'Lock') as waits`.execute(app.db);
    if (rows[0]?.waits) return;
  }
}

/** Make billing this enrolment fail. */
const refuseOne = (enrolmentId: number) =>
  sql`create function refuse_one() returns trigger language plpgsql as $$
    begin raise exception 'The disk is full.'; end $$;
    create trigger refuse_one before insert on debits for each row
      when (new.enrolment_id = ${sql.lit(enrolmentId)}) execute function refuse_one()`.execute(
    app.db,
  );

describe("a step that fails", () => {
  test("is recorded, does not stop the other steps, and is billed by a later run", async () => {
    const { network, panel, plan } = await aNetworkThatOwes(1);
    const [attorneyId = 0] = panel;
    // A second step begins after 10,000 enrolments.
    const terms = { startDate: "2026-04-30", enrolledOn: "2026-04-29" };
    await makeEnrolments(app.db, Array(10_004).fill(attorneyId), plan, terms);
    const { rows } = await sql<{ id: number }>`
      select min(id) as id from enrolments where network_id = ${network.id}`.execute(app.db);
    await refuseOne(rows[0]?.id ?? 0);

    const failed = await run(network, "2026-04-30");
    expect(failed).toMatchObject({ debits: 5, failures: 1, failureReason: "The disk is full." });
    const admin = await signedIn(app, "admin", network);
    const runs = await admin.call(listBillingRuns);
    expect(runs.items).toMatchObject([
      { debits: 5, failures: 1, failureReason: "The disk is full." },
    ]);
    const missing = await admin.call(listDueButNotBilled);
    expect(missing).toHaveLength(1000); // the first thousand of ten
    expect(missing[0]).toMatchObject({ dueDate: "2026-01-31", amount: 5_000, name: "Panel dues" });

    await sql`drop trigger refuse_one on debits`.execute(app.db);
    expect(await run(network, "2026-04-30")).toMatchObject({ debits: 10_000 + 3, failures: 0 });
    expect(await admin.call(listDueButNotBilled)).toEqual([]);
    expect(await ledgerOffences(app.db, network.id)).toEqual([]);
  });
});

describe("a run that loses the database", () => {
  test("stops, and is not recorded as a failure", async () => {
    const { network } = await aNetworkThatOwes(3);
    await sql`create function cut_off() returns trigger language plpgsql as $$
      begin perform pg_terminate_backend(pg_backend_pid()); return new; end $$`.execute(app.db);
    await sql`create trigger cut_off before insert on debits for each row
      when (new.network_id = ${sql.lit(network.id)}) execute function cut_off()`.execute(app.db);
    const problem: unknown = await run(network, "2026-01-31").catch((thrown: unknown) => thrown);
    expect(isLostConnection(problem)).toBe(true);
    await sql`drop trigger cut_off on debits`.execute(app.db);

    expect(await run(network, "2026-01-31")).toMatchObject({ debits: 3, failures: 0 });
    const admin = await signedIn(app, "admin", network);
    const { items } = await admin.call(listBillingRuns);
    expect(items).toMatchObject([{ debits: 3 }, { debits: 0, finishedAt: null, failures: 0 }]);
  });
});

describe("the record of billing runs", () => {
  test("shows the time, the day, debits and dollars, newest first, in pages", async () => {
    const { network } = await aNetworkThatOwes(2);
    await run(network, "2026-01-31");
    await run(network, "2026-02-28");
    await run(network, "2026-02-28");
    const admin = await signedIn(app, "admin", network);
    const all = await admin.ask(listBillingRuns);
    expect(all.object).toMatchObject({ total: 3, page: 1, perPage: 50 });
    expect(all.object.items).toMatchObject([
      { asOf: "2026-02-28", debits: 0, amount: "0.00", failures: 0 },
      { asOf: "2026-02-28", debits: 2, amount: "100.00", failures: 0 },
      { asOf: "2026-01-31", debits: 2, amount: "100.00", failures: 0 },
    ]);
    for (const { startedAt, finishedAt } of all.object.items)
      expect(Date.parse(finishedAt ?? "")).toBeGreaterThanOrEqual(Date.parse(startedAt));
    const second = await admin.ask(listBillingRuns, { query: { page: 2, per_page: 2 } });
    expect(second.object.items).toMatchObject([{ asOf: "2026-01-31" }]);
    expect(second.object).toMatchObject({ total: 3, page: 2, perPage: 2 });
  });

  test("shows only the network's own runs", async () => {
    const { network } = await aNetworkThatOwes(1);
    await run(network, "2026-01-31");
    const other = await signedIn(app, "admin", await makeNetwork(app.db));
    expect((await other.ask(listBillingRuns)).object).toMatchObject({ items: [], total: 0 });
    expect(await other.call(listDueButNotBilled)).toEqual([]);
  });
});

/** Delete a debit with every trigger disabled, as no code of ours can. */
async function loseOneDebit(network: MadeNetwork, dueOn: string): Promise<void> {
  const lost = sql`(select max(id) from debits where network_id = ${network.id} and due_on = ${dueOn})`;
  await app.db.transaction().execute(async (tx) => {
    await sql`alter table entries disable trigger user`.execute(tx);
    await sql`alter table debits disable trigger user`.execute(tx);
    await sql`delete from entries where debit_id = ${lost}`.execute(tx);
    await sql`delete from debits where id = ${lost}`.execute(tx);
    await sql`alter table debits enable trigger user`.execute(tx);
    await sql`alter table entries enable trigger user`.execute(tx);
    await sql`select pg_stat_force_next_flush()`.execute(tx); // counted now, not within seconds
  });
}

describe("due but not billed", () => {
  test("lists what no run has billed by today, and nothing later", async () => {
    const { network } = await aNetworkThatOwes(1, "2026-04-10");
    const admin = await signedIn(app, "admin", network);
    const due = await admin.call(listDueButNotBilled);
    expect(due.map((row) => row.dueDate)).toEqual(["2026-04-10", "2026-05-10"]);
    await run(network, "2026-05-10");
    expect(await admin.call(listDueButNotBilled)).toEqual([]);
  });

  test("finds a missing debit that the billed-through day hides, and the next run creates it", async () => {
    const { network } = await aNetworkThatOwes(3, "2026-03-31");
    await run(network, "2026-04-30");
    await loseOneDebit(network, "2026-03-31");
    const admin = await signedIn(app, "admin", network);
    expect(await admin.call(listDueButNotBilled)).toMatchObject([{ dueDate: "2026-03-31" }]);
    const rehearsed = await dryRunBilling(app.db, network.id, plainDate("2026-05-10"));
    expect(rehearsed).toMatchObject({ debits: 1 });
    expect(await run(network, "2026-05-10")).toMatchObject({ debits: 1 });
    expect(await admin.call(listDueButNotBilled)).toEqual([]);
  });

  test("finds a missing debit on a billed day, and a repeated run creates it", async () => {
    const { network } = await aNetworkThatOwes(3, "2026-03-31");
    await run(network, "2026-05-10");
    expect(await run(network, "2026-05-10")).toMatchObject({ debits: 0 });
    await loseOneDebit(network, "2026-03-31");
    expect(await run(network, "2026-04-01")).toMatchObject({ debits: 1 });
    await loseOneDebit(network, "2026-04-30");
    // A run for an earlier day neither creates it nor hides it.
    expect(await run(network, "2026-04-01")).toMatchObject({ debits: 0 });
    expect(await run(network, "2026-05-10")).toMatchObject({ debits: 1 });
    expect(await ledgerOffences(app.db, network.id)).toEqual([]);
  });

  test("finds an enrolment inserted with SQL", async () => {
    const { network, plan } = await aNetworkThatOwes(1, "2026-03-31");
    await run(network, "2026-05-10");
    const attorney = await makeAttorney(app.db, network);
    await app.db.transaction().execute(async (tx) => {
      await makeEnrolment(tx, attorney, plan, { startDate: "2026-04-05" });
      await sql`select pg_stat_force_next_flush()`.execute(tx);
    });
    expect(await run(network, "2026-05-10")).toMatchObject({ debits: 2 });
  });

  test("counts only periods due by today when a network is billed ahead", async () => {
    const { network } = await aNetworkThatOwes(3, "2026-03-31");
    await run(network, "2026-12-31");
    await loseOneDebit(network, "2026-03-31");
    const admin = await signedIn(app, "admin", network);
    expect(await admin.call(listDueButNotBilled)).toMatchObject([{ dueDate: "2026-03-31" }]);
    await run(network, "2026-12-31");
    expect(await admin.call(listDueButNotBilled)).toEqual([]);
  });
});

test("a running run neither blocks nor is mistaken for another network's run of the same id", async () => {
  const [one, other] = [await openBillingRunLock(app.pool), await openBillingRunLock(app.pool)];
  try {
    await one.acquire(1, 5);
    expect(await runsWithoutLock(app.db, 1, [4, 5])).toEqual(new Set([4]));
    expect(await runsWithoutLock(app.db, 2, [5])).toEqual(new Set([5]));
    await other.acquire(2, 5);
    expect(await runsWithoutLock(app.db, 2, [5])).toEqual(new Set());
  } finally {
    await one.release();
    await other.release();
  }
});
