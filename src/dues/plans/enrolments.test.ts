import { beforeEach, describe, expect } from "vitest";
import { plainDate } from "#kit/domain/calendar.ts";
import { runBilling } from "#dues/ledger/billing-run.ts";
import { listOutstanding } from "#dues/ledger/contract.ts";
import * as contract from "#dues/plans/contract.ts";
import { makePlan, type MadePlan } from "#main/demo/records/dues.ts";
import { dueDatesOf } from "#tests/support/ledger.ts";
import { admin, app, appTest, attorney, network } from "#tests/support/app-test.ts";

let plan: MadePlan;

const test = appTest({ network: { timeZone: "America/New_York" }, attorney: {} });
beforeEach(async () => {
  app.setClock("2026-05-10T16:00:00Z"); // noon in New York
  plan = await makePlan(app.db, network, { description: "Criminal panel" });
});

const enrol = (changes: Record<string, unknown> = {}, by = admin) =>
  by.ask(contract.enrolAttorney, {
    body: {
      attorney_id: attorney.id,
      lrs_subscription_id: plan.id,
      start_date: "2026-05-10",
      bill_immediately: false,
      note: "",
      ...changes,
    },
  });

const unsubscribe = (id: number, by = admin) =>
  by.ask(contract.unsubscribe, { params: { id }, body: { archived: true } });

const billThrough = (day: string) => runBilling(app.db, network.admin, plainDate(day));

describe("enrolling an attorney", () => {
  test("returns the enrolment in the published shape", async () => {
    const { status, object } = await enrol({ start_date: "2026-05-31", note: " Panel A " });
    expect(status).toBe(200);
    expect(object).toEqual({
      id: expect.any(Number),
      attorneyId: attorney.id,
      lrsSubscriptionId: plan.id,
      name: "Panel dues",
      note: "Panel A",
      description: "Criminal panel",
      paymentSchedule: "$50.00 every month",
      amount: "50.00",
      startDate: "2026-05-31",
      nextBillingDate: "2026-05-31",
      archived: false,
      createdAt: expect.stringMatching(/Z$/),
    });
  });

  test.each([
    ["ahead", "2026-06-15", false, [], "2026-06-15", ["2026-06-15", "2026-07-15"]],
    ["tomorrow", "2026-05-11", false, [], "2026-05-11", ["2026-05-11", "2026-06-11"]],
    ["today", "2026-05-10", false, [], "2026-06-10", ["2026-06-10", "2026-07-10"]],
    [
      "today, billed immediately",
      "2026-05-10",
      true,
      ["2026-05-10"],
      "2026-06-10",
      ["2026-05-10", "2026-06-10"],
    ],
    ["in the past", "2025-01-31", false, [], "2026-05-31", ["2026-05-31", "2026-06-30"]],
    [
      "in the past, billed immediately",
      "2025-01-31",
      true,
      ["2026-05-10"],
      "2026-05-31",
      ["2026-05-10", "2026-05-31"],
    ],
    [
      "in the past, with a due date today",
      "2026-01-10",
      false,
      [],
      "2026-06-10",
      ["2026-06-10", "2026-07-10"],
    ],
    [
      "in the past, with a due date today, billed immediately",
      "2026-01-10",
      true,
      ["2026-05-10"],
      "2026-06-10",
      ["2026-05-10", "2026-06-10"],
    ],
    [
      "in the past on February 29",
      "2024-02-29",
      false,
      [],
      "2026-05-29",
      ["2026-05-29", "2026-06-29"],
    ],
    [
      "a hundred years ago, billed immediately",
      "1900-01-31",
      true,
      ["2026-05-10"],
      "2026-05-31",
      ["2026-05-10", "2026-05-31"],
    ],
  ])("starting %s", async (_, start_date, bill_immediately, atOnce, next, later) => {
    const { object } = await enrol({ start_date, bill_immediately });
    expect(await dueDatesOf(app.db, object.id)).toEqual(atOnce);
    expect(object.nextBillingDate).toBe(next);
    await billThrough("2026-07-31");
    expect((await dueDatesOf(app.db, object.id)).slice(0, 2)).toEqual(later);
  });

  test("today is the network's own day, not the server's", async () => {
    app.setClock("2026-05-11T02:00:00Z"); // still the tenth in New York
    const today = await enrol({ start_date: "2026-05-10", bill_immediately: true });
    expect(await dueDatesOf(app.db, today.object.id)).toEqual(["2026-05-10"]);
    expect((await enrol({ start_date: "2026-05-11", bill_immediately: true })).status).toBe(422);
    app.setClock("2026-05-11T04:00:00Z"); // midnight in New York
    expect((await enrol({ start_date: "2026-05-11", bill_immediately: true })).status).toBe(200);
  });

  test("billed immediately adds a debit with the plan's name and the note", async () => {
    await enrol({ bill_immediately: true, note: "Panel A" });
    const { object } = await admin.ask(listOutstanding, { query: { attorney_id: attorney.id } });
    expect(object).toEqual([
      {
        id: expect.any(Number),
        attorneyId: attorney.id,
        name: "Panel dues",
        note: "Panel A",
        description: "Criminal panel",
        amount: "50.00",
        balance: "50.00",
        dueDate: "2026-05-10",
        createdAt: expect.stringMatching(/Z$/),
        pending: "0.00",
        pendingPayments: [],
        adjustments: [],
        paidFromCredit: "0.00",
      },
    ]);
  });

  test("in the same plan again makes another enrolment, billed separately", async () => {
    const first = await enrol({ bill_immediately: true, note: "Panel A" });
    const second = await enrol({ bill_immediately: true, note: "Panel B" });
    expect(second.object.id).not.toBe(first.object.id);
    expect(await dueDatesOf(app.db, first.object.id)).toHaveLength(1);
    expect(await dueDatesOf(app.db, second.object.id)).toHaveLength(1);
  });

  test("with Bill immediately and a future start date is refused first", async () => {
    for (const changes of [{}, { attorney_id: 999_999 }, { lrs_subscription_id: 999_999 }]) {
      const reply = await enrol({ start_date: "2026-05-11", bill_immediately: true, ...changes });
      expect(reply).toMatchObject({ status: 422, errors: [{ path: "bill_immediately" }] });
    }
  });

  test("in an archived plan is 409", async () => {
    await admin.call(contract.archivePlan, { params: { id: plan.id }, body: { archived: true } });
    expect(await enrol()).toMatchObject({
      status: 409,
      message: "This subscription is archived. No one can be added to it.",
    });
  });

  test.each([
    ["start_date", "2026-02-30", 422],
    ["start_date", "2027-02-29", 422],
    ["start_date", "2028-02-29", 200],
    ["start_date", "1899-12-31", 422],
    ["start_date", "1900-01-01", 200],
    ["start_date", "2199-12-31", 200],
    ["start_date", "2200-01-01", 422],
    ["start_date", "05/10/2026", 422],
    ["start_date", "2026-05-10T00:00:00Z", 422],
    ["start_date", "", 422],
    ["start_date", null, 422],
    ["start_date", 20_260_510, 422],
    ["bill_immediately", "true", 422],
    ["bill_immediately", 1, 422],
    ["bill_immediately", null, 422],
    ["bill_immediately", undefined, 200],
    ["note", "x".repeat(2000), 200],
    ["note", "x".repeat(2001), 422],
    ["note", "two\nlines", 200],
    ["note", "NUL\u0000", 422],
    ["note", undefined, 200],
    ["attorney_id", "1", 422],
    ["attorney_id", 0, 422],
    ["attorney_id", 1.5, 422],
    ["attorney_id", undefined, 422],
    ["lrs_subscription_id", -1, 422],
    ["lrs_subscription_id", undefined, 422],
  ])("with %s %j returns %i", async (field, value, status) => {
    const reply = await enrol({ [field]: value });
    expect(reply.status).toBe(status);
    expect(reply.errors.map((error) => error.path)).toEqual(status === 422 ? [field] : []);
  });
});

describe("the list of an attorney's enrolments", () => {
  test("has the active ones only, newest first, without pages", async () => {
    const [first, second, third] = [await enrol(), await enrol(), await enrol()];
    await unsubscribe(second.object.id);
    const list = () => admin.ask(contract.listEnrolments, { query: { attorney_id: attorney.id } });
    expect((await list()).object.map(({ id }) => id)).toEqual([third.object.id, first.object.id]);
  });

  test("shows the next billing date of each, also after runs ahead", async () => {
    await enrol({ start_date: "2026-05-31" });
    const next = async () =>
      (await admin.call(contract.listEnrolments, { query: { attorney_id: attorney.id } }))[0]
        ?.nextBillingDate;
    expect(await next()).toBe("2026-05-31");
    await billThrough("2026-05-31");
    expect(await next()).toBe("2026-06-30");
    await billThrough("2026-12-31");
    expect(await next()).toBe("2027-01-31");
  });
});

describe("unsubscribing", () => {
  test("returns the ended enrolment, which is not billed again", async () => {
    const { object } = await enrol({ start_date: "2026-05-31" });
    const ended = await unsubscribe(object.id);
    expect(ended.object).toMatchObject({ id: object.id, archived: true, nextBillingDate: null });
    await billThrough("2027-05-31");
    expect(await dueDatesOf(app.db, object.id)).toEqual([]);
  });

  test("keeps the balance, and bills periods due by that day, whenever the run is", async () => {
    const { object } = await enrol({ bill_immediately: true });
    app.setClock("2026-07-10T12:00:00Z");
    await unsubscribe(object.id);
    expect(await dueDatesOf(app.db, object.id)).toEqual(["2026-05-10", "2026-06-10", "2026-07-10"]);
    await billThrough("2027-05-31");
    expect(await dueDatesOf(app.db, object.id)).toHaveLength(3);
  });

  test("twice is 409, also at the same time", async () => {
    const { object } = await enrol();
    const replies = await Promise.all([1, 2, 3].map(() => unsubscribe(object.id)));
    expect(replies.filter((reply) => reply.status === 200)).toHaveLength(1);
    expect(await unsubscribe(object.id)).toMatchObject({
      status: 409,
      message: "This attorney has already been unsubscribed.",
    });
  });

  test("an enrolment ended by archiving its plan is 409", async () => {
    const { object } = await enrol();
    await admin.call(contract.archivePlan, { params: { id: plan.id }, body: { archived: true } });
    expect((await unsubscribe(object.id)).status).toBe(409);
  });
});

describe("the upcoming dues of an enrolment", () => {
  const upcoming = async (id: number) =>
    (await admin.ask(contract.showUpcoming, { params: { id } })).object;

  test("are its next twelve dates, each with a reason", async () => {
    const { object } = await enrol({ start_date: "2026-05-31" });
    const dates = await upcoming(object.id);
    expect(dates).toHaveLength(12);
    expect(dates.slice(0, 3)).toEqual([
      { period: 0, dueOn: "2026-05-31", amount: "50.00", reason: "The start date, 05/31/2026." },
      {
        period: 1,
        dueOn: "2026-06-30",
        amount: "50.00",
        reason:
          "1 month after 05/31/2026 (every month). That month has no day 31, so it is due on the last day.",
      },
      {
        period: 2,
        dueOn: "2026-07-31",
        amount: "50.00",
        reason: "2 months after 05/31/2026 (every month).",
      },
    ]);
  });

  test("are what later runs bill", async () => {
    const { object } = await enrol({ start_date: "2024-02-29" });
    const said = (await upcoming(object.id)).map(({ dueOn }) => dueOn);
    await billThrough(said.at(-1) ?? "");
    expect(await dueDatesOf(app.db, object.id)).toEqual(said);
    expect((await upcoming(object.id))[0]?.dueOn).toBe("2027-05-29");
  });

  test("may be after the last day that a request can name", async () => {
    const slow = await makePlan(app.db, network, { everyMonths: 120 });
    const { object } = await enrol({ lrs_subscription_id: slow.id, start_date: "2199-12-31" });
    expect((await upcoming(object.id)).at(-1)).toMatchObject({ dueOn: "2309-12-31" });
  });

  test("are empty for an ended one", async () => {
    const { object } = await enrol();
    await unsubscribe(object.id);
    expect(await upcoming(object.id)).toEqual([]);
  });
});
