import { listPlanEnrolments } from "#dues/plans/enrolments.list.ts";
import { type KyselyPlugin, sql } from "kysely";
import { beforeEach, describe, expect } from "vitest";
import { openDatabase, openPool } from "#kit/db/database.ts";
import { inTransaction } from "#kit/db/transaction.ts";
import { plainDate } from "#kit/domain/calendar.ts";
import { adjustDebit, listOutstanding } from "#dues/ledger/contract.ts";
import { runBilling } from "#dues/ledger/billing-run.ts";
import { confirmChecks, payByCheck } from "#payments/contract.ts";
import { undoEnrollAll } from "#dues/plans/enrolment-batches.ts";
import * as contract from "#dues/plans/contract.ts";
import { makeAttorney, makePanel } from "#tests/support/records/attorneys.ts";
import { makePlan, type MadePlan } from "#main/demo/records/dues.ts";
import { makeEnrolment } from "#tests/support/records/dues.ts";
import { ledgerOffences } from "#tests/support/ledger.ts";
import { admin, app, appTest, network } from "#tests/support/app-test.ts";

let plan: MadePlan;
let panel: number[];

const test = appTest({ asOwner: true, clock: "2026-05-10T16:00:00Z", network: {} });
beforeEach(async () => {
  plan = await makePlan(app.db, network);
  panel = await makePanel(app.db, network, 4);
});

async function subscribedAll({ billed = true } = {}): Promise<number> {
  const { object } = await admin.ask(contract.subscribeAll, {
    body: {
      lrs_subscription_id: plan.id,
      start_date: "2026-05-10",
      bill_immediately: billed,
      note: "",
    },
  });
  return object.batchId;
}

const undo = (id: number) => admin.ask(contract.undoSubscribeAll, { params: { id } });
const preview = (id: number) => admin.ask(contract.previewUndo, { params: { id } });

const owedBy = async (attorney: number | undefined) =>
  (await admin.ask(listOutstanding, { query: { attorney_id: attorney } })).object;

const planNow = async () =>
  (await admin.ask(contract.showPlan, { params: { id: plan.id } })).object;

async function payCheck(attorney: number | undefined, amount = "10.00") {
  const [debit] = await owedBy(attorney);
  const paid = await admin.ask(payByCheck, {
    body: { payment_hash: { [String(debit?.id)]: amount }, check_number: `C${attorney}` },
  });
  expect(paid.status).toBe(200);
  const { id } = await app.db
    .selectFrom("paymentAllocations")
    .select("id")
    .where("debitId", "=", debit?.id ?? 0)
    .orderBy("id", "desc")
    .executeTakeFirstOrThrow();
  return id;
}

const decide = (share: number, status: "approved" | "denied") =>
  admin.ask(confirmChecks, { body: { statuses: { [share]: status } } });

/** An attorney's credit from an approved check, partly applied to the oldest debit. */
async function creditApplied(attorney: number, cents: number, applied: number) {
  const { id: debitId } = await app.db
    .selectFrom("debits")
    .select("id")
    .where("attorneyId", "=", attorney)
    .orderBy("id")
    .executeTakeFirstOrThrow();
  await app.db.transaction().execute(async (tx) => {
    const { rows } = await sql<{ id: number }>`
      insert into received_checks (network_id, attorney_id, check_number, amount_cents, received_on)
      values (${network.id}, ${attorney}, 'K1', ${cents}, '2026-05-01') returning id`.execute(tx);
    const check = rows[0]?.id;
    await sql`insert into payments (network_id, attorney_id, method, amount_cents, credit_cents, check_number, received_check_id)
      values (${network.id}, ${attorney}, 'check', ${cents}, ${cents}, 'K1', ${check})`.execute(tx);
    await sql`update received_checks set status = 'approved', decided_at = now() where id = ${check}`.execute(
      tx,
    );
    await sql`insert into entries (network_id, cause, from_account, to_account, amount_cents, day, attorney_id, credit_id, debit_id)
      select network_id, 'credit_applied', 'receivable', 'credit', ${applied}, network_day(network_id), attorney_id, id,
        ${debitId}
      from credits where attorney_id = ${attorney}`.execute(tx);
  });
}

const creditOf = async (attorney: number) =>
  (
    await app.db
      .selectFrom("credits")
      .select("leftCents")
      .where("attorneyId", "=", attorney)
      .executeTakeFirstOrThrow()
  ).leftCents;

describe("undoing a Subscribe all", () => {
  test("ends its enrolments and reverses its debits, as the preview says", async () => {
    const other = await makeAttorney(app.db, network);
    await makeEnrolment(app.db, other, plan);
    const batch = await subscribedAll();
    expect((await preview(batch)).object).toEqual({
      enrolments: 4,
      debits: 4,
      amount: "200.00",
      creditReturned: "0.00",
      paid: 0,
    });
    expect((await undo(batch)).object).toEqual({ ended: 4, reversed: "200.00" });
    expect(await planNow()).toMatchObject({
      enrolledCount: 1,
      endedCount: 4,
      billed: "200.00",
      adjusted: "-200.00",
      collected: "0.00",
      owed: "0.00",
      batches: [{ id: batch, enrolments: 4, undoableUntil: null, createdBy: "Ada Min" }],
    });
    expect(await owedBy(panel[0])).toEqual([]);
    expect(await ledgerOffences(app.db, network.id)).toEqual([]);
  });

  test("reverses debits of later billing runs too, and ends billing", async () => {
    const batch = await subscribedAll();
    await runBilling(app.db, network.admin, plainDate("2026-07-10"));
    expect((await undo(batch)).object).toEqual({ ended: 4, reversed: "600.00" });
    await runBilling(app.db, network.admin, plainDate("2026-12-10"));
    expect(await planNow()).toMatchObject({ billed: "600.00", owed: "0.00", enrolledCount: 0 });
  });

  test("reverses current balances, with adjustments and ended enrolments", async () => {
    const batch = await subscribedAll();
    const [debit] = await owedBy(panel[0]);
    await admin.call(adjustDebit, {
      body: { debit_id: debit?.id, direction: "increase", amount: "5.00", adjustment_note: "" },
    });
    const { items } = await admin.call(listPlanEnrolments, { params: { id: plan.id } });
    await admin.call(contract.unsubscribe, {
      params: { id: items[0]?.id },
      body: { archived: true },
    });
    expect((await preview(batch)).object).toMatchObject({ enrolments: 3, amount: "205.00" });
    expect((await undo(batch)).object).toEqual({ ended: 3, reversed: "205.00" });
    expect(await planNow()).toMatchObject({ owed: "0.00", endedCount: 4 });
  });

  test("keeps earlier enrolments, and can be followed by another Subscribe all", async () => {
    const first = await subscribedAll();
    await makePanel(app.db, network, 2);
    const second = await subscribedAll();
    expect((await undo(second)).object).toEqual({ ended: 2, reversed: "100.00" });
    expect(await planNow()).toMatchObject({ enrolledCount: 4, owed: "200.00" });
    expect((await undo(first)).object.ended).toBe(4);
    expect((await undo(await subscribedAll())).object.ended).toBe(6);
  });

  test("restores applied credit", async () => {
    const batch = await subscribedAll();
    const [attorney = 0] = panel;
    await creditApplied(attorney, 80_00, 50_00);
    expect(await creditOf(attorney)).toBe(30_00);
    expect((await preview(batch)).object).toMatchObject({
      debits: 4,
      amount: "200.00",
      creditReturned: "50.00",
      paid: 0,
    });
    expect((await undo(batch)).object).toEqual({ ended: 4, reversed: "200.00" });
    expect(await creditOf(attorney)).toBe(80_00);
    expect(
      await app.db
        .selectFrom("entries")
        .select(["cause", "amountCents", "note"])
        .where("attorneyId", "=", attorney)
        .where("creditId", "is not", null)
        .orderBy("id", "desc")
        .executeTakeFirst(),
    ).toEqual({ cause: "credit_taken_off", amountCents: 50_00, note: "Subscribe all was undone" });
    expect(await ledgerOffences(app.db, network.id)).toEqual([]);
  });

  test("is refused while a payment is pending or approved, and works once it is denied", async () => {
    const batch = await subscribedAll();
    const share = await payCheck(panel[0]);
    expect((await preview(batch)).object.paid).toBe(1);
    const refused = await undo(batch);
    expect(refused.status).toBe(409);
    expect(refused.message).toBe(
      "This Subscribe all cannot be undone: 1 of its 4 debits has a payment, approved or pending. End the enrolments on the plan's page, and adjust debits that are not owed.",
    );
    await decide(share, "denied");
    await decide(await payCheck(panel[1], "50.00"), "approved"); // paid in full, nothing pending
    await payCheck(panel[2]);
    expect((await undo(batch)).message).toMatch(/: 2 of its 4 debits have a payment/);
    expect(await planNow()).toMatchObject({
      enrolledCount: 4,
      collected: "50.00",
      pending: "10.00",
    });
  });

  test("is refused a second time, and after 24 hours, naming the end", async () => {
    const batch = await subscribedAll();
    expect((await planNow()).batches[0]?.undoableUntil).toMatch(/Z$/);
    await undo(batch);
    expect((await undo(batch)).message).toBe("This Subscribe all has already been undone.");
    const late = await subscribedAll();
    await sql`update enrolment_batches set created_at = '2026-05-10T16:00:00Z' where id = ${late}`.execute(
      app.db,
    );
    const sentence =
      "This Subscribe all could be undone for 24 hours, until 05/11/2026, 12:00 PM. End the enrolments on the plan's page instead.";
    expect(await undo(late)).toMatchObject({ status: 409, message: sentence });
    expect(await preview(late)).toMatchObject({ status: 409, message: sentence });
    expect((await planNow()).batches[0]?.undoableUntil).toBeNull();
  });

  test("that enrolled no one ends nothing", async () => {
    await subscribedAll();
    expect((await undo(await subscribedAll())).object).toEqual({ ended: 0, reversed: "0.00" });
    expect((await planNow()).batches).toHaveLength(1);
  });
});

describe("at the same time", () => {
  test("several requests undo it once", async () => {
    const batch = await subscribedAll();
    const replies = await Promise.all([1, 2, 3, 4].map(() => undo(batch)));
    expect(replies.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([
      200, 409, 409, 409,
    ]);
    expect(await ledgerOffences(app.db, network.id)).toEqual([]);
  });

  test("as a billing run, nothing stays owed", async () => {
    await makePanel(app.db, network, 300);
    for (const asOf of ["2026-06-10", "2026-07-10", "2026-08-10"]) {
      const batch = await subscribedAll();
      const [undone] = await Promise.all([
        undo(batch),
        runBilling(app.db, network.admin, plainDate(asOf)),
      ]);
      expect(undone.status).toBe(200);
      expect(await planNow()).toMatchObject({ owed: "0.00", enrolledCount: 0 });
    }
    expect(await ledgerOffences(app.db, network.id)).toEqual([]);
  });

  test("as payments and adjustments, one completes first", async () => {
    for (let round = 0; round < 5; round += 1) {
      const batch = await subscribedAll();
      const [first] = await owedBy(panel[round % 4]);
      const [second] = await owedBy(panel[(round + 1) % 4]);
      const pay = admin.ask(payByCheck, {
        body: { payment_hash: { [String(first?.id)]: "10.00" }, check_number: `R${round}` },
      });
      const adjusted = admin.ask(adjustDebit, {
        body: { debit_id: second?.id, direction: "increase", amount: "7.00", adjustment_note: "" },
      });
      const [undone, paid] = await Promise.all([undo(batch), pay, adjusted]);
      expect([undone.status, paid.status].toSorted((a, b) => a - b)).toEqual([200, 409]);
      if (undone.status === 200) continue;
      const { id } = await app.db
        .selectFrom("paymentAllocations")
        .select("id")
        .where("debitId", "=", first?.id ?? 0)
        .executeTakeFirstOrThrow();
      await decide(id, "denied");
      await undo(batch);
    }
    expect(await ledgerOffences(app.db, network.id)).toEqual([]);
  });

  test("as the approval of a check, it waits, and then finds the debit paid", async () => {
    const batch = await subscribedAll();
    const share = await payCheck(panel[0]);
    const waiting = sql<{ count: number }>`
      select count(*) from pg_stat_activity
      where datname = current_database() and wait_event_type = 'Lock'`;
    const { undoing } = await app.db.transaction().execute(async (tx) => {
      await sql`update payment_allocations set status = 'approved', decided_at = now()
        where network_id = ${network.id} and id = ${share}`.execute(tx);
      const undoing = undo(batch);
      await expect.poll(async () => (await waiting.execute(app.db)).rows[0]?.count).toBe(1);
      return { undoing };
    });
    expect((await undoing).status).toBe(409);
    expect(await planNow()).toMatchObject({ enrolledCount: 4, collected: "10.00" });
  });
});

test("killed at any SQL statement, it changes nothing and can be repeated", async () => {
  const batch = await subscribedAll();
  const [attorney = 0] = panel;
  await creditApplied(attorney, 80_00, 50_00);
  const before = await planNow();
  let kills = 0;
  for (let isUndone = false; !isUndone;) {
    const pool = openPool({ connectionString: app.connectionString, connections: 1 });
    pool.on("error", () => undefined); // the killed connection
    const mortal = openDatabase(pool);
    try {
      const { rows } = await sql<{ pid: number }>`select pg_backend_pid() as pid`.execute(mortal);
      const killed = mortal.withPlugin(killAfter(kills + 1, rows[0]?.pid ?? 0));
      await inTransaction(killed, (tx) => undoEnrollAll(tx, network.admin, batch));
      isUndone = true;
    } catch {
      kills += 1;
      expect(await planNow()).toEqual(before);
      expect(await creditOf(attorney)).toBe(30_00);
    } finally {
      await pool.end();
    }
  }
  expect(kills).toBeGreaterThan(8);
  expect(await planNow()).toMatchObject({ enrolledCount: 0, owed: "0.00" });
  expect(await creditOf(attorney)).toBe(80_00);
  expect(await ledgerOffences(app.db, network.id)).toEqual([]);
});

/** Have PostgreSQL end a connection after a number of statements. */
function killAfter(statements: number, pid: number): KyselyPlugin {
  let answered = 0;
  return {
    transformQuery: ({ node }) => node,
    transformResult: async ({ result }) => {
      answered += 1;
      if (answered === statements) await sql`select pg_terminate_backend(${pid})`.execute(app.db);
      return result;
    },
  };
}

describe("ending several enrolments", () => {
  const end = (ids: number[]) => admin.ask(contract.endEnrolments, { body: { ids } });
  const enrolments = async (query: Record<string, unknown> = {}) =>
    (await admin.ask(listPlanEnrolments, { params: { id: plan.id }, query })).object;

  test("ends them all, and bills them first as for one", async () => {
    for (let n = 0; n < 4; n += 1)
      await makeEnrolment(app.db, await makeAttorney(app.db, network), plan, {
        startDate: "2026-04-30",
        enrolledOn: "2026-04-20",
      });
    const { items, total } = await enrolments();
    expect(total).toBe(4);
    const ids = items.slice(0, 3).map(({ id }) => id);
    expect((await end([...ids, ...ids])).object).toEqual({
      ended: 3,
      debitsCreated: 3,
      billed: "150.00",
    });
    expect(await enrolments()).toMatchObject({ total: 1 });
    expect(await enrolments({ state: "ended", per_page: 2 })).toMatchObject({
      total: 3,
      items: [
        { billed: "50.00", owed: "50.00", nextBillingDate: null },
        { billed: "50.00", owed: "50.00", nextBillingDate: null },
      ],
    });
    expect(await planNow()).toMatchObject({ enrolledCount: 1, endedCount: 3, owed: "150.00" });
  });

  test("ends none if one is unknown or has ended", async () => {
    await subscribedAll();
    const ids = (await enrolments()).items.map(({ id }) => id);
    expect((await end([...ids, 999_999])).status).toBe(404);
    expect((await end([])).status).toBe(422);
    expect((await end(ids.slice(0, 1))).status).toBe(200);
    expect(await end(ids)).toMatchObject({
      status: 409,
      message: "No subscription was ended: 1 of these 4 has already ended. Reload the list.",
    });
    expect(await planNow()).toMatchObject({ enrolledCount: 3 });
  });

  test("by two at the same time ends each once", async () => {
    await subscribedAll();
    const ids = (await enrolments()).items.map(({ id }) => id);
    const replies = await Promise.all([end(ids), end(ids.toReversed())]);
    expect(replies.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([200, 409]);
    expect(await planNow()).toMatchObject({ enrolledCount: 0 });
  });
});

describe("a plan's enrolments", () => {
  test("are found by name, in pages, by last name", async () => {
    await makePanel(app.db, network, 59);
    await makeAttorney(app.db, network, { firstName: "Zoë", lastName: "Quill" });
    await subscribedAll({ billed: false });
    const ask = (query: Record<string, unknown>) =>
      admin.call(listPlanEnrolments, { params: { id: plan.id }, query });
    const page = await ask({ page: 2, per_page: 50 });
    expect(page).toMatchObject({ total: 64, page: 2, perPage: 50 });
    expect(page.items).toHaveLength(14);
    const found = await ask({ search: "QUILL zoë" });
    expect(found.items).toMatchObject([{ attorneyName: "Zoë Quill", owed: 0 }]);
    expect((await ask({ search: "nobody at all" })).total).toBe(0);
    expect(page.names).toEqual({ plan_id: plan.name });
  });
});
