import "#main/reports.ts";
import { parse } from "csv-parse/sync";
import { afterAll, beforeAll, expect, test } from "vitest";
import { cents } from "#kit/domain/money.ts";
import type { WantedExport } from "#kit/list/reports-contract.ts";
import { addFirm } from "#panel/firms/contract.ts";
import { exportedFile } from "#tests/support/exports.ts";
import { type MadeAttorney } from "#main/demo/records/attorneys.ts";
import { makeAttorney } from "#tests/support/records/attorneys.ts";
import { makeMatters, makeReports } from "#main/demo/records/matters.ts";
import { type MadeNetwork } from "#main/demo/records/networks.ts";
import { makeNetwork } from "#tests/support/records/networks.ts";
import { anApp, type RunningApp } from "#tests/support/running-app.ts";
import { signedIn, type Visitor } from "#tests/support/visitor.ts";
import { exportTypes } from "#kit/list/offered-reports.ts";

/* The reports about referrals, for known records. */

let app: RunningApp;
let network: MadeNetwork;
let admin: Visitor;
let grace: MadeAttorney;

beforeAll(async () => {
  app = await anApp({ clock: "2026-11-21T17:00:00Z" });
  network = await makeNetwork(app.db);
  admin = await signedIn(app, "admin", network);
  grace = await makeAttorney(app.db, network, { firstName: "Grace", lastName: "Hopper" });
  const matter = {
    firstName: "Ana",
    phone: "+1 555",
    email: "ana@example.test",
    contactPreference: "email",
    followupConsent: true,
    note: 'a "note"',
    status: "open",
    attorneyId: grace.id,
    submittedAt: "2026-09-01T12:00:00Z",
    referredAt: "2026-09-02T12:00:00Z",
  } as const;
  const unreferred = { status: "new", attorneyId: null, referredAt: null } as const;
  const [, matterId = 0] = await makeMatters(app.db, network, [
    { ...matter, ...unreferred, lastName: "New", submittedAt: "2026-11-01T12:00:00Z" },
    { ...matter, lastName: "Open", reportDueOn: "2026-11-20" },
    {
      ...matter,
      lastName: "Due today",
      referredAt: "2026-10-02T12:00:00Z",
      reportDueOn: "2026-11-21",
    },
    {
      ...matter,
      lastName: "Closed",
      status: "closed",
      submittedAt: "2026-08-01T12:00:00Z",
      referredAt: "2026-08-02T12:00:00Z",
      closedAt: "2026-10-01T03:59:59Z",
    },
  ]);
  const report = { matterId, attorneyId: grace.id };
  await makeReports(app.db, network, [
    { ...report, outcome: "could_not_reach", filedOn: "2026-10-02" },
    { ...report, outcome: "retained", feeCents: cents(250_50), filedOn: "2026-10-21" },
  ]);
  const other = await makeNetwork(app.db);
  const { id: attorneyId } = await makeAttorney(app.db, other);
  await makeMatters(app.db, other, [
    { ...matter, attorneyId, lastName: "Foreign", reportDueOn: "2026-10-01" },
  ]);
});
afterAll(() => app.close());

async function rowsOf(
  wanted: Partial<WantedExport> & { report_type: string },
): Promise<Record<string, string>[]> {
  const { bytes } = await exportedFile(app, admin, wanted);
  return parse(bytes, { bom: true, columns: true, record_delimiter: "\r\n" });
}

const columns =
  exportTypes.find(({ value }) => value === "matters")?.columns.map(({ value }) => value) ?? [];
const names = (rows: Record<string, string>[]) => rows.map((row) => row["Last name"]);

test("referrals have their client, attorney and last report", async () => {
  const rows = await rowsOf({ report_type: "matters", columns, range_mode: "all-time" });
  expect(names(rows)).toEqual(["New", "Open", "Due today", "Closed"]);
  expect(rows[0]).toMatchObject({
    Status: "New",
    Phone: "'+1 555",
    Attorney: "",
    "Referred on": "",
    "Contact preference": "Email",
    "Follow-up consent": "Yes",
    Note: 'a "note"',
    "Fees reported": "0.00",
  });
  expect(rows[1]).toMatchObject({
    Status: "Open",
    Attorney: "Grace Hopper",
    "Submitted on": "09/01/2026",
    "Report due on": "11/20/2026",
    "Last report": "Retained",
    "Last report on": "10/21/2026",
    "Fees reported": "250.50",
  });
  // 4 a.m. UTC is the evening before in New York.
  expect(rows[3]).toMatchObject({
    Status: "Closed",
    "Closed on": "09/30/2026",
    "Report due on": "",
  });
});

test.each([
  ["submitted_at", "09012026", "09302026", ["Open", "Due today"]],
  ["referred_at", "08022026", "09022026", ["Open", "Closed"]],
  ["closed_at", "09302026", "09302026", ["Closed"]],
  ["closed_at", "10012026", "10312026", []],
])("by %s between %s and %s they are %j", async (mode, start, end, expected) => {
  const rows = await rowsOf({
    report_type: "matters",
    columns: ["last_name"],
    start_date: start,
    end_date: end,
    time_filter_mode: mode,
  });
  expect(names(rows)).toEqual(expected);
});

test("overdue status reports are those of open referrals due before today", async () => {
  const rows = await rowsOf({ report_type: "overdue_reports" });
  expect(rows).toHaveLength(1);
  expect(rows[0]).toMatchObject({
    "Last name": "Open",
    Attorney: "Grace Hopper",
    "Report due on": "11/20/2026",
    "Days overdue": "1",
    "Last report": "Retained",
  });
});

test("an attorney's open referrals are counted on the panel", async () => {
  const rows = await rowsOf({
    report_type: "attorneys",
    columns: ["attorney_id", "open_referrals"],
  });
  expect(rows).toEqual([{ "Attorney ID": String(grace.id), "Open referrals": "2" }]);
});

test("the panel's report names each attorney's firm, in its last column", async () => {
  await admin.call(addFirm, { body: { name: "=Hopper LLP", attorney_ids: [grace.id] } });
  const [row] = await rowsOf({ report_type: "attorneys", columns: ["firm", "last_name"] });
  expect(row).toEqual({ "Last name": "Hopper", Firm: "'=Hopper LLP" });
});
