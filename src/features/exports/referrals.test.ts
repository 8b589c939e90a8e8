import { parse } from "csv-parse/sync";
import { sql } from "kysely";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { WantedExport } from "#features/exports/contract.ts";
import { addFirm } from "#features/firms/contract.ts";
import { exportedFile } from "#tests/support/exports.ts";
import {
  anAttorney,
  aNetwork,
  type TestAttorney,
  type TestNetwork,
} from "#tests/support/people.ts";
import { anApp, type RunningApp } from "#tests/support/running-app.ts";
import { signedIn, type Visitor } from "#tests/support/visitor.ts";
import { exportTypes } from "#features/exports/export-types.ts";

/* The reports about referrals, on known records. */

let app: RunningApp;
let network: TestNetwork;
let admin: Visitor;
let grace: TestAttorney;

interface Wanted {
  lastName: string;
  status: "new" | "open" | "closed";
  submitted: string;
  referred?: string;
  closed?: string;
  due?: string;
}

async function aMatter(
  one: Wanted,
  owner: TestNetwork = network,
  attorney = grace,
): Promise<number> {
  const { rows } = await sql<{ id: number }>`
    insert into matters (network_id, first_name, last_name, phone, email, contact_preference,
      followup_consent, note, status, attorney_id, submitted_at, referred_at, closed_at, report_due_on)
    values (${owner.id}, 'Ana', ${one.lastName}, '+1 555', 'ana@example.test', 'email', true, 'a "note"',
      ${one.status}, ${one.status === "new" ? null : attorney.id}, ${one.submitted},
      ${one.referred ?? null}, ${one.closed ?? null}, ${one.due ?? null})
    returning id`.execute(app.db);
  return rows[0]?.id ?? 0;
}

beforeAll(async () => {
  app = await anApp({ clock: "2026-11-21T17:00:00Z" });
  network = await aNetwork(app.db);
  admin = await signedIn(app, "admin", network);
  grace = await anAttorney(app.db, network, { firstName: "Grace", lastName: "Hopper" });
  await aMatter({ lastName: "New", status: "new", submitted: "2026-11-01T12:00:00Z" });
  const open = await aMatter({
    lastName: "Open",
    status: "open",
    submitted: "2026-09-01T12:00:00Z",
    referred: "2026-09-02T12:00:00Z",
    due: "2026-11-20",
  });
  await aMatter({
    lastName: "Due today",
    status: "open",
    submitted: "2026-09-01T12:00:00Z",
    referred: "2026-10-02T12:00:00Z",
    due: "2026-11-21",
  });
  await aMatter({
    lastName: "Closed",
    status: "closed",
    submitted: "2026-08-01T12:00:00Z",
    referred: "2026-08-02T12:00:00Z",
    closed: "2026-10-01T03:59:59Z",
  });
  await sql`insert into matter_reports (network_id, matter_id, attorney_id, outcome, fee_cents, filed_on)
    values (${network.id}, ${open}, ${grace.id}, 'could_not_reach', null, '2026-10-02'),
      (${network.id}, ${open}, ${grace.id}, 'retained', 25050, '2026-10-21')`.execute(app.db);
  const other = await aNetwork(app.db);
  const stranger = await anAttorney(app.db, other);
  await aMatter(
    {
      lastName: "Foreign",
      status: "open",
      submitted: "2026-09-01T12:00:00Z",
      referred: "2026-09-02T12:00:00Z",
      due: "2026-10-01",
    },
    other,
    stranger,
  );
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

test("referrals carry their client, their attorney and the last report", async () => {
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
  // Four in the morning UTC is the evening before in New York.
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

test("overdue status reports are those due before today, of open referrals", async () => {
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
