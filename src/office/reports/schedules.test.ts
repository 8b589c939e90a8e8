import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { plainDate } from "#kit/domain/calendar.ts";
import {
  listExports,
  listSchedules,
  removeSchedule,
  scheduleExport,
} from "#kit/list/reports-contract.ts";
import { periodBefore, runDueSchedules, nextRunOnOrAfter } from "#office/reports/schedules.ts";
import { prepareAll } from "#tests/support/exports.ts";
import { makeAttorney } from "#tests/support/records/attorneys.ts";
import { type MadeNetwork } from "#main/demo/records/networks.ts";
import { makeNetwork } from "#tests/support/records/networks.ts";
import { anApp, type RunningApp } from "#tests/support/running-app.ts";
import { signedIn, type Visitor } from "#tests/support/visitor.ts";

let app: RunningApp;
let network: MadeNetwork;
let admin: Visitor;

beforeAll(async () => void (app = await anApp()));
beforeEach(async () => {
  app.setClock("2026-11-18T17:00:00Z"); // a Wednesday
  network = await makeNetwork(app.db, { timeZone: "America/Los_Angeles" });
  admin = await signedIn(app, "admin", network);
});
afterAll(() => app.close());

const payments = {
  report_type: "subscription_payments",
  columns: ["amount", "payment_id"],
  frequency: "monthly" as const,
};

test.each([
  ["weekly", "2026-11-16", "2026-11-16"],
  ["weekly", "2026-11-17", "2026-11-23"],
  ["weekly", "2026-11-22", "2026-11-23"],
  ["monthly", "2026-11-01", "2026-11-01"],
  ["monthly", "2026-11-02", "2026-12-01"],
  ["monthly", "2026-12-31", "2027-01-01"],
  ["monthly", "2026-01-31", "2026-02-01"],
] as const)("the %s turn on or after %s is %s", (frequency, from, turn) => {
  expect(nextRunOnOrAfter(frequency, plainDate(from)).toString()).toBe(turn);
});

test.each([
  ["weekly", "2026-11-23", "2026-11-16", "2026-11-22"],
  ["monthly", "2027-01-01", "2026-12-01", "2026-12-31"],
  ["monthly", "2028-03-01", "2028-02-01", "2028-02-29"],
] as const)("the %s report of %s covers %s to %s", (frequency, turn, firstOn, lastOn) => {
  expect(periodBefore(frequency, plainDate(turn))).toEqual({ firstOn, lastOn });
});

describe("a schedule", () => {
  test("is made, listed and removed by the network's administrators", async () => {
    const attorney = await makeAttorney(app.db, network, {
      firstName: "Grace",
      lastName: "Hopper",
    });
    const made = await admin.call(scheduleExport, {
      body: { ...payments, attorney_id: attorney.id, time_filter_mode: "confirmed_at" },
    });
    expect(made).toMatchObject({
      frequency: "monthly",
      reportType: "subscription_payments",
      label: "Subscription payments",
      scope: "Payments confirmed in the previous month, Grace Hopper",
      nextOn: "2026-12-01",
      createdBy: "Ada Min",
    });
    expect(await admin.call(listSchedules)).toEqual([made]);
    const ofADay = await admin.call(scheduleExport, {
      body: { ...payments, report_type: "receivables_as_of", columns: ["as_of", "attorney_id"] },
    });
    expect(ofADay.scope).toBe("As of the last day of the previous month");
    const { scope } = await admin.call(scheduleExport, {
      body: { ...payments, report_type: "journal", columns: ["date"], frequency: "weekly" },
    });
    expect(scope).toBe("Made in the previous week");
    await admin.call(removeSchedule, { params: { id: ofADay.id + 1 } });
    await admin.call(removeSchedule, { params: { id: ofADay.id } });
    const params = { id: made.id };
    await admin.call(removeSchedule, { params });
    expect(await admin.call(listSchedules)).toEqual([]);
    expect((await admin.ask(removeSchedule, { params })).status).toBe(404);
  });

  test("is checked like a request", async () => {
    const refused = [
      { ...payments, columns: [] },
      { ...payments, report_type: "secrets" },
      { ...payments, frequency: "daily" },
      { ...payments, time_filter_mode: "due_on" },
      { ...payments, start_date: "10012026" },
    ];
    for (const body of refused)
      expect((await admin.ask(scheduleExport, { body })).status).toBe(422);
  });

  test("orders its report once, at 3 a.m. in the network's time zone", async () => {
    await admin.call(scheduleExport, { body: payments });
    await runDueSchedules(app.db, "2026-12-01T10:59:00Z");
    expect((await admin.call(listExports)).items).toEqual([]);
    await Promise.all([1, 2].map(() => runDueSchedules(app.db, "2026-12-01T11:00:00Z")));
    await runDueSchedules(app.db, "2026-12-01T12:00:00Z");
    const { items } = await admin.call(listExports);
    expect(items).toMatchObject([
      {
        isScheduled: true,
        requestedBy: "Scheduled by Ada Min",
        scope: "Payments made between 11/01/2026 and 11/30/2026, all attorneys",
      },
    ]);
    expect(await admin.call(listSchedules)).toMatchObject([{ nextOn: "2027-01-01" }]);
    await prepareAll(app);
    expect((await admin.call(listExports)).items[0]?.file?.name).toMatch(
      /-subscription-payments-2026-11-01-to-2026-11-30\.csv$/,
    );
  });

  test("orders the reports of missed runs", async () => {
    await admin.call(scheduleExport, {
      body: { report_type: "attorneys", columns: ["email"], frequency: "weekly" },
    });
    await runDueSchedules(app.db, "2026-12-08T00:00:00Z");
    const { items } = await admin.call(listExports);
    expect(items.map(({ scope }) => scope.replace(/\d.*/, ""))).toEqual([
      "As of ",
      "As of ",
      "As of ",
    ]);
    expect(await admin.call(listSchedules)).toMatchObject([{ nextOn: "2026-12-14" }]);
  });

  test("that was removed orders nothing", async () => {
    const { id } = await admin.call(scheduleExport, { body: payments });
    await admin.call(removeSchedule, { params: { id } });
    await runDueSchedules(app.db, "2027-06-01T12:00:00Z");
    expect((await admin.call(listExports)).items).toEqual([]);
  });
});
