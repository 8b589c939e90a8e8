import { sql } from "kysely";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import {
  cancelExport,
  listExports,
  retryExport,
  scheduleExport,
  showExportOptions,
} from "#kit/list/reports-contract.ts";
import { type MadeAttorney } from "#main/demo/records/attorneys.ts";
import { makeAttorney } from "#tests/support/records/attorneys.ts";
import { type MadeNetwork } from "#main/demo/records/networks.ts";
import { makeNetwork } from "#tests/support/records/networks.ts";
import { exportedFile } from "#tests/support/exports.ts";
import { anApp, type RunningApp } from "#tests/support/running-app.ts";
import { signedIn, type Visitor } from "#tests/support/visitor.ts";

let app: RunningApp;
let network: MadeNetwork;
let admin: Visitor;
let attorney: MadeAttorney;

beforeAll(async () => void (app = await anApp({ clock: "2026-11-21T17:00:00Z" })));
beforeEach(async () => {
  network = await makeNetwork(app.db);
  admin = await signedIn(app, "admin", network);
  attorney = await makeAttorney(app.db, network, { firstName: "Grace", lastName: "Hopper" });
});
afterAll(() => app.close());

const debits = { report_type: "subscription_debits", columns: ["debit_id", "amount"] };
const october = { start_date: "10012026", end_date: "10312026" };

const order = async (body: object) => await admin.send("POST", "/data_export.json", body);
const listed = async () => (await admin.call(listExports)).items;

describe("the options", () => {
  test("match the domain rules, in order", async () => {
    const { reportTypes, attorneys } = await admin.call(showExportOptions);
    const shapes = reportTypes.map((type) => [
      type.value,
      type.label,
      type.columns.length >= 12 ? "columns" : type.columns.length,
      type.filters,
      type.timeFilterPermissions,
      type.timeFilterModes.map(({ value, label }) => `${value} ${label}`),
    ]);
    expect(shapes).toEqual([
      [
        "matters",
        "Referrals",
        "columns",
        ["attorneys"],
        "either",
        [
          "submitted_at Requests submitted between:",
          "referred_at Referrals made between:",
          "closed_at Referrals closed between:",
        ],
      ],
      [
        "subscription_debits",
        "Subscription debits",
        "columns",
        ["attorneys"],
        "either",
        ["submitted_at Debits created between:", "due_on Debits due between:"],
      ],
      [
        "subscription_payments",
        "Subscription payments",
        "columns",
        ["attorneys"],
        "range",
        ["submitted_at Payments made between:", "confirmed_at Payments confirmed between:"],
      ],
      ["debit_adjustments", "Balance adjustments", "columns", ["attorneys"], "range", []],
      ["attorneys", "Attorneys", "columns", [], "none", []],
      ["receivables_aging", "Receivables aging", 0, [], "none", []],
      ["overdue_reports", "Overdue status reports", 0, [], "none", []],
      ["checks", "Checks", "columns", [], "range", []],
      ["deposits", "Deposits", 11, [], "range", []],
      ["receivables_as_of", "Receivables as of a date", "columns", [], "range", []],
      ["journal", "Journal", 9, [], "range", []],
      ["payments", "Payments", "columns", ["attorneys"], "either", []],
      ["enrolments", "Enrolments", "columns", ["attorneys"], "either", []],
      ["firms", "Firms", 6, [], "none", []],
      ["subscriptions", "Subscriptions", 10, [], "none", []],
      ["mail", "Email", 8, [], "either", []],
      ["activity", "Activity", "columns", [], "either", []],
      ["reports", "Reports", "columns", [], "either", []],
    ]);
    expect(attorneys).toEqual({ [attorney.id]: "Grace Hopper" });
    for (const { columns } of reportTypes) {
      const values = columns.map(({ value }) => value);
      const labels = columns.map(({ label }) => label);
      expect([new Set(values).size, new Set(labels).size]).toEqual([values.length, labels.length]);
    }
  });
});

test("the options say what each type is for, and through which day it was last made", async () => {
  const { made } = await exportedFile(app, admin, { ...debits, ...october });
  await order({ ...debits, start_date: "11012026", end_date: "11302026" }); // not prepared yet
  const { reportTypes } = await admin.call(showExportOptions);
  for (const { description } of reportTypes) expect(description).toMatch(/^[A-Z].*\.$/s);
  const last = reportTypes.filter(({ lastMade }) => lastMade !== null);
  expect(last.map(({ value, lastMade }) => [value, lastMade])).toEqual([
    ["subscription_debits", { at: made.createdAt, through: "2026-10-31" }],
  ]);
});

test("since last time ignores reports about one attorney or of a list", async () => {
  await exportedFile(app, admin, { ...debits, ...october });
  await exportedFile(app, admin, {
    ...debits,
    start_date: "11012026",
    end_date: "11152026",
    attorney_id: attorney.id,
  });
  const { reportTypes } = await admin.call(showExportOptions);
  const of = reportTypes.find(({ value }) => value === "subscription_debits");
  expect(of?.lastMade).toMatchObject({ through: "2026-11-15" });
  expect(of?.lastWhole.map(({ through }) => through)).toEqual(["2026-10-31"]);
});

describe("a request", () => {
  test("gets success and a message, and nothing else", async () => {
    const reply = await order({ ...debits, ...october });
    expect(reply.status).toBe(200);
    expect(JSON.parse(reply.text)).toEqual({
      success: true,
      message:
        'Your report "Subscription debits" is being prepared. You will find it in the list of reports.',
    });
    expect(await listed()).toMatchObject([
      {
        reportType: "subscription_debits",
        label: "Subscription debits",
        status: "queued",
        progress: 0,
        rows: 0,
        scope: "Debits created between 10/01/2026 and 10/31/2026, all attorneys",
        requestedBy: "Ada Min",
        isScheduled: false,
        failureReason: null,
        file: null,
      },
    ]);
  });

  test.each<[string, object, string]>([
    [
      "an attorney of the network",
      { ...debits, ...october, attorney_id: "ATTORNEY", time_filter_mode: "due_on" },
      "Debits due between 10/01/2026 and 10/31/2026, Grace Hopper",
    ],
    [
      "all time, with dates ignored",
      { ...debits, range_mode: "all-time", start_date: "nonsense", end_date: null },
      "All time, all attorneys",
    ],
    [
      "one day",
      { ...debits, start_date: "10012026", end_date: "10012026", range_mode: "range" },
      "Debits created between 10/01/2026 and 10/01/2026, all attorneys",
    ],
    [
      "a type without modes, with the mode ignored",
      {
        report_type: "debit_adjustments",
        columns: ["amount"],
        ...october,
        time_filter_mode: "nonsense",
      },
      "Made between 10/01/2026 and 10/31/2026, all attorneys",
    ],
    [
      "a type without dates, with dates ignored",
      {
        report_type: "attorneys",
        columns: ["email"],
        start_date: "x",
        end_date: "",
        range_mode: "range",
        time_filter_mode: "nonsense",
        attorney_id: null,
      },
      "As of 11/21/2026",
    ],
    [
      "a type without columns, as the panel requests it",
      {
        report_type: "receivables_aging",
        columns: [],
        start_date: null,
        end_date: null,
        attorney_id: null,
        range_mode: "range",
        time_filter_mode: "submitted_at",
      },
      "As of 11/21/2026",
    ],
    [
      "a type without columns, by its name only",
      { report_type: "overdue_reports" },
      "As of 11/21/2026",
    ],
  ])("for %s is accepted", async (_, body, scope) => {
    const text = JSON.stringify(body).replace('"ATTORNEY"', String(attorney.id));
    const reply = await order(JSON.parse(text));
    expect(reply.status).toBe(200);
    const [item] = await listed();
    // Until it is prepared, its day is the database's own.
    expect(item?.scope.replace(/As of .*/, "As of 11/21/2026")).toBe(scope);
  });

  test.each<[string, object, string, string]>([
    [
      "an unknown type",
      { ...debits, report_type: "secrets" },
      "report_type",
      'There is no report type "secrets".',
    ],
    ["an empty type", { ...debits, report_type: "" }, "report_type", "Choose a report type."],
    ["no type", { columns: [] }, "report_type", "Report type must be given."],
    [
      "no column of a type with columns",
      { ...debits, ...october, columns: [] },
      "columns",
      "Choose at least one column to include in the report.",
    ],
    [
      "no columns at all",
      { report_type: "attorneys" },
      "columns",
      "Choose at least one column to include in the report.",
    ],
    [
      "an unknown column",
      { ...debits, ...october, columns: ["amount", "password"] },
      "columns",
      'The report Subscription debits has no column "password".',
    ],
    [
      "a prototype's name for a column",
      { ...debits, ...october, columns: ["constructor"] },
      "columns",
      'The report Subscription debits has no column "constructor".',
    ],
    [
      "a column of a type without a choice",
      { report_type: "receivables_aging", columns: ["current"] },
      "columns",
      'The report Receivables aging has no column "current".',
    ],
    [
      "more list filters than an address can hold",
      { ...debits, filters: { search: "a".repeat(9_000), note: "b".repeat(9_000) } },
      "filters",
      "Filters must have at most 16,000 characters in all.",
    ],
    [
      "start after end",
      { ...debits, start_date: "11012026", end_date: "10312026" },
      "start_date",
      "Start date must not be after end date.",
    ],
    ["no start", { ...debits, end_date: "10312026" }, "start_date", "Enter a start date."],
    [
      "no end",
      { ...debits, start_date: "10312026", end_date: "" },
      "end_date",
      "Enter an end date.",
    ],
    [
      "an invalid day",
      { ...debits, start_date: "02292026", end_date: "03012026" },
      "start_date",
      "Start date must be a date written mmddyyyy.",
    ],
    [
      "another date format",
      { ...debits, start_date: "2026-10-01", end_date: "10312026" },
      "start_date",
      "Start date must be a date written mmddyyyy.",
    ],
    [
      "an unknown mode",
      { ...debits, ...october, time_filter_mode: "confirmed_at" },
      "time_filter_mode",
      'The report Subscription debits has no event type "confirmed_at".',
    ],
    [
      "an unknown mode, for all time",
      { ...debits, range_mode: "all-time", time_filter_mode: "x" },
      "time_filter_mode",
      'The report Subscription debits has no event type "x".',
    ],
    [
      "all time, of a type that needs a range",
      { report_type: "subscription_payments", columns: ["amount"], range_mode: "all-time" },
      "range_mode",
      "Subscription payments need a specific date range.",
    ],
    [
      "an unknown range mode",
      { ...debits, ...october, range_mode: "some" },
      "range_mode",
      'Range mode must be one of "range", "all-time".',
    ],
    [
      "an attorney, of a type without that filter",
      { report_type: "attorneys", columns: ["email"], attorney_id: 1 },
      "attorney_id",
      "Attorneys cannot be filtered by attorney.",
    ],
    [
      "an unknown name",
      { ...debits, ...october, format: "xls" },
      "format",
      '"format" is not a field of this request.',
    ],
  ])("with %s is refused, with a message for the alert", async (_, body, path, message) => {
    const reply = await order(body);
    expect([reply.status, reply.message, reply.errors[0]?.path]).toEqual([422, message, path]);
    expect(await listed()).toEqual([]);
  });

  test("for another network's attorney is 404, after all other checks", async () => {
    const stranger = await makeAttorney(app.db, await makeNetwork(app.db));
    const reply = await order({ ...debits, ...october, attorney_id: stranger.id });
    expect([reply.status, reply.message]).toEqual([404, "There is no such attorney."]);
    const wrong = await order({ ...debits, attorney_id: stranger.id });
    expect(wrong.status).toBe(422);
  });

  test("is refused if fifty are already waiting", async () => {
    for (let count = 0; count < 50; count += 1)
      expect((await order({ ...debits, ...october })).status).toBe(200);
    const reply = await order({ ...debits, ...october });
    expect([reply.status, reply.message]).toEqual([
      409,
      "50 reports are already waiting. Wait for some to finish, or cancel them.",
    ]);
  });

  test("is refused beyond fifty for concurrent requests and retries too", async () => {
    await order({ ...debits, ...october });
    const [{ id } = { id: 0 }] = await listed();
    await admin.call(cancelExport, { params: { id } });
    const replies = await Promise.all(
      Array.from({ length: 60 }, () => order({ ...debits, ...october })),
    );
    const counts = [200, 409].map((one) => replies.filter(({ status }) => status === one).length);
    expect(counts).toEqual([50, 10]);
    const again = await admin.ask(retryExport, { params: { id } });
    expect([again.status, again.message]).toEqual([
      409,
      "50 reports are already waiting. Wait for some to finish, or cancel them.",
    ]);
  });

  test("is not refused because of scheduled reports", async () => {
    const weekly = { frequency: "weekly", report_type: "attorneys", columns: ["email"] };
    const { id: scheduleId } = await admin.call(scheduleExport, { body: weekly });
    for (let turn = 1; turn <= 50; turn += 1)
      await sql`
        insert into data_exports (network_id, report_type, columns, requested_by, expires_at,
          schedule_id, scheduled_on)
        values (${network.id}, 'attorneys', '{email}', 'Scheduled by Ada Min',
          now() + interval '30 days', ${scheduleId}, date '2026-01-01' + ${turn}::integer)`.execute(
        app.db,
      );
    expect((await order({ ...debits, ...october })).status).toBe(200);
  });
});

describe("the list", () => {
  test("is the network's own, newest first, in pages", async () => {
    await order({ ...debits, ...october });
    await order({ report_type: "receivables_aging" });
    const page = await admin.call(listExports, { query: { page: 1, per_page: 1 } });
    expect(page).toMatchObject({ total: 2, page: 1, perPage: 1 });
    expect(page.items.map((item) => item.reportType)).toEqual(["receivables_aging"]);
    const other = await signedIn(app, "admin", await makeNetwork(app.db));
    expect((await other.call(listExports)).items).toEqual([]);
  });

  test("shows cancelled reports, and lets them be retried", async () => {
    await order({ ...debits, ...october });
    const [{ id } = { id: 0 }] = await listed();
    const params = { id };
    expect((await admin.ask(retryExport, { params })).status).toBe(409);
    expect(await admin.call(cancelExport, { params })).toMatchObject({
      status: "failed",
      isCancelled: true,
      failureReason: "Canceled by Ada Min.",
    });
    expect((await admin.ask(cancelExport, { params })).status).toBe(409);
    expect(await admin.call(retryExport, { params })).toMatchObject({
      status: "queued",
      isCancelled: false,
      failureReason: null,
      finishedAt: null,
    });
  });
});
