import { listPlans } from "#dues/plans/plans.list.ts";
import { describe, expect } from "vitest";
import { listOutstanding } from "#dues/ledger/contract.ts";
import * as contract from "#dues/plans/contract.ts";
import { makeAttorney } from "#tests/support/records/attorneys.ts";
import { makePlan } from "#main/demo/records/dues.ts";
import { makeEnrolment } from "#tests/support/records/dues.ts";
import { dueDatesOf } from "#tests/support/ledger.ts";
import { admin, app, appTest, attorney, network } from "#tests/support/app-test.ts";

const test = appTest({ clock: "2026-05-10T12:00:00Z", network: {}, attorney: {} });

const define = (changes: Record<string, unknown> = {}) =>
  admin.ask(contract.createPlan, {
    body: {
      name: "Panel dues",
      description: "For the criminal panel",
      payment_amount: "50.00",
      payment_frequency_in_months: 1,
      ...changes,
    },
  });

const archive = (id: number) =>
  admin.ask(contract.archivePlan, { params: { id }, body: { archived: true } });

describe("defining a plan", () => {
  test("returns it in the published shape", async () => {
    const { status, object } = await define();
    expect(status).toBe(200);
    expect(object).toEqual({
      id: expect.any(Number),
      name: "Panel dues",
      description: "For the criminal panel",
      paymentSchedule: "$50.00 every month",
      amount: "50.00",
      frequencyInMonths: 1,
      archived: false,
      createdAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
      enrolledCount: 0,
    });
  });

  test.each([
    ["1250", 3, "$1,250.00 every 3 months"],
    ["0.01", 1, "$0.01 every month"],
    ["1000000", 120, "$1,000,000.00 every 120 months"],
    [999.9, 12, "$999.90 every 12 months"],
  ])("of %s every %i reads %s", async (payment_amount, payment_frequency_in_months, reads) => {
    const { object } = await define({ payment_amount, payment_frequency_in_months });
    expect(object.paymentSchedule).toBe(reads);
  });

  test.each([
    ["0.00", 422],
    ["0", 422],
    [0, 422],
    ["0.01", 200],
    [0.01, 200],
    ["1000000.00", 200],
    [1_000_000, 200],
    ["1000000.01", 422],
    [1_000_000.01, 422],
    ["50.001", 422],
    [50.001, 422],
    ["-50", 422],
    [-50, 422],
    [" 50 ", 200],
    ["50.5", 200],
    ["fifty", 422],
    ["", 422],
    [null, 422],
    [true, 422],
    [["50"], 422],
    ["1e2", 422],
  ])("with the amount %j returns %i", async (payment_amount, status) => {
    const reply = await define({ payment_amount });
    expect(reply.status).toBe(status);
    const message =
      payment_amount === ""
        ? "Enter a payment amount in dollars, such as 125.50."
        : "Payment amount must be an amount in dollars from 0.01 to 1,000,000.00 with at most two decimals, such as 125.50.";
    expect(reply.errors).toEqual(status === 422 ? [{ path: "payment_amount", message }] : []);
  });

  test.each([
    [0, 422],
    [1, 200],
    [120, 200],
    [121, 422],
    [1.5, 422],
    [-1, 422],
    ["1", 422],
    ["", 422],
    [null, 422],
    [1e9, 422],
  ])("every %j months returns %i", async (payment_frequency_in_months, status) => {
    const reply = await define({ payment_frequency_in_months });
    expect(reply.status).toBe(status);
    const message = "Payment frequency in months must be a whole number of months from 1 to 120.";
    expect(reply.errors).toEqual(
      status === 422 ? [{ path: "payment_frequency_in_months", message }] : [],
    );
  });

  test.each([
    ["name", "", 422],
    ["name", "   ", 422],
    ["name", "x".repeat(200), 200],
    ["name", "x".repeat(201), 422],
    ["name", ` ${"x".repeat(200)} `, 200],
    ["name", "two\nlines", 422],
    ["name", "tab\tbed", 422],
    ["name", "NUL\u0000", 422],
    ["name", "broken\ud800", 422],
    ["name", "Zoë & O'Neil <LLP> 日本 😀", 200],
    ["name", 5, 422],
    ["name", null, 422],
    ["description", "", 200],
    ["description", "x".repeat(2000), 200],
    ["description", "x".repeat(2001), 422],
    ["description", "two\r\nlines\tand a tab", 200],
    ["description", "bell\u0007", 422],
    ["description", null, 422],
    ["description", undefined, 200],
  ])("with %s %j returns %i", async (field, value, status) => {
    const reply = await define({ [field]: value });
    expect(reply.status).toBe(status);
    expect(reply.errors.map((error) => error.path)).toEqual(status === 422 ? [field] : []);
  });

  test("trims text, and leaves a missing description empty", async () => {
    const { object } = await define({ name: "  Dues  ", description: undefined });
    expect(object).toMatchObject({ name: "Dues", description: "" });
  });

  test("is audited", async () => {
    const { object } = await define();
    const trail = await app.db
      .selectFrom("auditEntries")
      .select(["actorUserId", "actorName", "action", "recordType", "recordId", "after"])
      .where("networkId", "=", network.id)
      .execute();
    expect(trail).toMatchObject([
      {
        actorUserId: network.admin.userId,
        actorName: "Ada Min",
        action: "defined",
        recordType: "plan",
        recordId: object.id,
        after: { name: "Panel dues", amountCents: 5000 },
      },
    ]);
  });
});

describe("the list of plans", () => {
  test("is newest first, with archived plans, without pages", async () => {
    const first = await makePlan(app.db, network, { name: "First" });
    const second = await makePlan(app.db, network, { name: "Second" });
    await archive(first.id);
    const third = await makePlan(app.db, network, { name: "Third" });
    const { object } = await admin.ask(listPlans);
    expect(object.map(({ id, archived }) => [id, archived])).toEqual([
      [third.id, false],
      [second.id, false],
      [first.id, true],
    ]);
  });

  test("of a network without plans is empty", async () => {
    expect((await admin.ask(listPlans)).object).toEqual([]);
  });

  test("counts attorneys enrolled now", async () => {
    const plan = await makePlan(app.db, network);
    const first = await makeEnrolment(app.db, attorney, plan);
    await makeEnrolment(app.db, attorney, plan);
    const countOf = async () => (await admin.call(listPlans))[0]?.enrolledCount;
    expect(await countOf()).toBe(2);
    await admin.call(contract.unsubscribe, { params: { id: first }, body: { archived: true } });
    expect(await countOf()).toBe(1);
    await archive(plan.id);
    expect(await countOf()).toBe(0);
  });
});

describe("archiving a plan", () => {
  test("unsubscribes all its attorneys, for good", async () => {
    const plan = await makePlan(app.db, network);
    const other = await makeEnrolment(app.db, attorney, await makePlan(app.db, network));
    await makeEnrolment(app.db, attorney, plan);
    await makeEnrolment(app.db, await makeAttorney(app.db, network), plan);
    const { status, object } = await archive(plan.id);
    expect([status, object.archived, object.enrolledCount]).toEqual([200, true, 0]);
    const left = await admin.call(contract.listEnrolments, { query: { attorney_id: attorney.id } });
    expect(left.map(({ id }) => id)).toEqual([other]);
  });

  test("bills periods due by today, keeps balances, and bills nothing after", async () => {
    const plan = await makePlan(app.db, network);
    const enrolment = await makeEnrolment(app.db, attorney, plan, { startDate: "2026-03-10" });
    await archive(plan.id);
    expect(await dueDatesOf(app.db, enrolment)).toEqual(["2026-03-10", "2026-04-10", "2026-05-10"]);
    const owed = await admin.call(listOutstanding, { query: { attorney_id: attorney.id } });
    expect(owed).toHaveLength(3);
  });

  test("a second time is 409", async () => {
    const plan = await makePlan(app.db, network);
    await archive(plan.id);
    expect(await archive(plan.id)).toMatchObject({
      status: 409,
      message: "This subscription has already been archived.",
    });
  });

  test("by several at the same time succeeds once", async () => {
    const plan = await makePlan(app.db, network);
    await makeEnrolment(app.db, attorney, plan);
    const replies = await Promise.all([1, 2, 3, 4].map(() => archive(plan.id)));
    expect(replies.filter((reply) => reply.status === 200)).toHaveLength(1);
    expect(replies.filter((reply) => reply.status === 409)).toHaveLength(3);
  });

  test.each([[{ archived: false }], [{ archived: "true" }], [{ archived: 1 }], [{}]])(
    "with %j is 422: it cannot be undone",
    async (body) => {
      const { id } = await makePlan(app.db, network);
      const reply = await admin.ask(contract.archivePlan, { params: { id }, body });
      expect(reply).toMatchObject({ status: 422, errors: [{ path: "archived" }] });
    },
  );
});
