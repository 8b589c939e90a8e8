import { listPlans } from "#dues/plans/plans.list.ts";
import { beforeEach, describe, expect } from "vitest";
import { plainDate } from "#kit/domain/calendar.ts";
import { runBilling } from "#dues/ledger/billing-run.ts";
import { listOutstanding } from "#dues/ledger/contract.ts";
import * as contract from "#dues/plans/contract.ts";
import { makeNetwork } from "#tests/support/records/networks.ts";
import { makeAttorney, makePanel } from "#tests/support/records/attorneys.ts";
import { makePlan, type MadePlan } from "#main/demo/records/dues.ts";
import { makeEnrolment } from "#tests/support/records/dues.ts";
import { ledgerOffences } from "#tests/support/ledger.ts";
import { admin, app, appTest, network } from "#tests/support/app-test.ts";

let plan: MadePlan;

const test = appTest({ clock: "2026-05-10T16:00:00Z", network: {} });
beforeEach(async () => {
  plan = await makePlan(app.db, network);
});

const subscribeAll = (changes: Record<string, unknown> = {}) =>
  admin.ask(contract.subscribeAll, {
    body: {
      lrs_subscription_id: plan.id,
      start_date: "2026-05-10",
      bill_immediately: true,
      note: "Annual",
      ...changes,
    },
  });

const preview = async () =>
  (await admin.ask(contract.previewSubscribeAll, { params: { id: plan.id } })).object;

const debits = async () =>
  (await app.db.selectFrom("debits").select("id").where("networkId", "=", network.id).execute())
    .length;

describe("subscribing all", () => {
  test("enrolls every attorney who is not in the plan, and returns the counts", async () => {
    const attorney = await makeAttorney(app.db, network);
    await makeEnrolment(app.db, attorney, plan);
    await makeEnrolment(app.db, attorney, plan); // enrolled twice is still one attorney
    await makePanel(app.db, network, 4);
    expect(await preview()).toEqual({ toSubscribe: 4, alreadySubscribed: 1 });
    expect((await subscribeAll()).object).toEqual({
      subscribed: 4,
      alreadySubscribed: 1,
      debitsCreated: 4,
      batchId: expect.any(Number),
    });
    expect(await debits()).toBe(4);
    expect(await preview()).toEqual({ toSubscribe: 0, alreadySubscribed: 5 });
    expect((await admin.call(listPlans))[0]?.enrolledCount).toBe(6);
    expect(await ledgerOffences(app.db, network.id)).toEqual([]);
  });

  test("includes attorneys on vacation or suspended, and none of another network", async () => {
    const [onVacation, suspended] = await makePanel(app.db, network, 2);
    await app.db
      .updateTable("attorneys")
      .set({ pausedUntil: "2027-01-01" })
      .where("id", "=", onVacation ?? 0)
      .execute();
    await app.db
      .updateTable("attorneys")
      .set({ suspendedAt: "2026-05-01T00:00:00Z", suspensionReason: "A report is overdue." })
      .where("id", "=", suspended ?? 0)
      .execute();
    await makeAttorney(app.db, await makeNetwork(app.db));
    expect((await subscribeAll()).object.subscribed).toBe(2);
  });

  test("enrolls attorneys who had been unsubscribed", async () => {
    const attorney = await makeAttorney(app.db, network);
    const enrolment = await makeEnrolment(app.db, attorney, plan);
    await admin.call(contract.unsubscribe, { params: { id: enrolment }, body: { archived: true } });
    expect((await subscribeAll()).object).toMatchObject({ subscribed: 1, alreadySubscribed: 0 });
  });

  test("clicked twice adds no one the second time", async () => {
    await makePanel(app.db, network, 3);
    await subscribeAll();
    expect((await subscribeAll()).object).toMatchObject({
      subscribed: 0,
      alreadySubscribed: 3,
      debitsCreated: 0,
    });
    expect(await debits()).toBe(3);
  });

  test("by several at the same time enrolls each attorney once", async () => {
    await makePanel(app.db, network, 50);
    const replies = await Promise.all([1, 2, 3, 4].map(() => subscribeAll()));
    expect(replies.map((reply) => reply.status)).toEqual([200, 200, 200, 200]);
    const subscribed = replies.map((reply) => reply.object.subscribed);
    expect(subscribed.toSorted((a, b) => a - b)).toEqual([0, 0, 0, 50]);
    expect(await debits()).toBe(50);
    expect(await ledgerOffences(app.db, network.id)).toEqual([]);
  });

  test("while the plan is archived, one of the two completes first", async () => {
    await makePanel(app.db, network, 50);
    const [subscribed, archived] = await Promise.all([
      subscribeAll(),
      admin.ask(contract.archivePlan, { params: { id: plan.id }, body: { archived: true } }),
    ]);
    expect(archived.status).toBe(200);
    expect([200, 409]).toContain(subscribed.status);
    expect(await debits()).toBe(subscribed.status === 200 ? 50 : 0);
    expect((await admin.call(listPlans))[0]?.enrolledCount).toBe(0);
  });

  test("gives each attorney the start date, note and first debit of a single enrolment", async () => {
    const [attorneyId] = await makePanel(app.db, network, 1);
    await subscribeAll({ start_date: "2026-01-31" });
    const enrolments = await admin.ask(contract.listEnrolments, {
      query: { attorney_id: attorneyId },
    });
    expect(enrolments.object).toMatchObject([
      { startDate: "2026-01-31", note: "Annual", nextBillingDate: "2026-05-31" },
    ]);
    const owed = await admin.ask(listOutstanding, { query: { attorney_id: attorneyId } });
    expect(owed.object).toMatchObject([
      { dueDate: "2026-05-10", balance: "50.00", note: "Annual" },
    ]);
  });

  test("without Bill immediately, or with a future start date, bills no one yet", async () => {
    await makePanel(app.db, network, 2);
    expect((await subscribeAll({ bill_immediately: false })).object).toMatchObject({
      subscribed: 2,
      debitsCreated: 0,
    });
    await runBilling(app.db, network.admin, plainDate("2026-06-10"));
    expect(await debits()).toBe(2);
    expect(await subscribeAll({ start_date: "2026-05-11" })).toMatchObject({
      status: 422,
      errors: [{ path: "bill_immediately" }],
    });
  });

  test("in an archived plan is 409", async () => {
    await admin.call(contract.archivePlan, { params: { id: plan.id }, body: { archived: true } });
    expect((await subscribeAll()).status).toBe(409);
  });

  test("of a network without attorneys does nothing", async () => {
    expect((await subscribeAll()).object).toMatchObject({
      subscribed: 0,
      alreadySubscribed: 0,
      debitsCreated: 0,
    });
  });
});

test("two thousand attorneys are subscribed and billed in one click", async () => {
  await makePanel(app.db, network, 2000);
  expect((await subscribeAll()).object).toMatchObject({ subscribed: 2000, debitsCreated: 2000 });
});
