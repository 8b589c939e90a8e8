import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { parse } from "csv-parse/sync";
import { sql } from "kysely";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { WantedExport } from "#kit/list/reports-contract.ts";
import { exportOptions } from "#office/reports/exports.ts";
import { exportedFile } from "#tests/support/exports.ts";
import { type MadeAttorney } from "#main/demo/records/attorneys.ts";
import { makeAttorney } from "#tests/support/records/attorneys.ts";
import { type MadeNetwork } from "#main/demo/records/networks.ts";
import { makeNetwork } from "#tests/support/records/networks.ts";
import { makeDebit } from "#tests/support/records/dues.ts";
import { anApp, type RunningApp } from "#tests/support/running-app.ts";
import { signedIn, type Visitor } from "#tests/support/visitor.ts";
import { adjustDebit } from "#dues/ledger/contract.ts";
import { confirmChecks, payByCheck } from "#payments/contract.ts";

/* The contents of each file, for known records. */

let app: RunningApp;
let network: MadeNetwork;
let admin: Visitor;
let grace: MadeAttorney;
let ada: MadeAttorney;

beforeAll(async () => {
  app = await anApp({ clock: "2026-11-21T17:00:00Z", asOwner: true });
  network = await makeNetwork(app.db, { name: "Höfe & Söhne", timeZone: "America/Los_Angeles" });
  admin = await signedIn(app, "admin", network);
  grace = await makeAttorney(app.db, network, {
    firstName: "José",
    lastName: '=HYPERLINK("http://evil.example","Click")',
    email: "jose@example.test",
    barNumber: "-12",
  });
  ada = await makeAttorney(app.db, network, { firstName: "Ada", lastName: 'O"Neil, Jr.' });
  // Another network's records must never appear.
  const other = await makeNetwork(app.db);
  await makeDebit(app.db, other, await makeAttorney(app.db, other));
});
afterAll(() => app.close());

type Wanted = Partial<WantedExport> & { report_type: string };

async function rowsOf(wanted: Wanted): Promise<Record<string, string>[]> {
  const { bytes } = await exportedFile(app, admin, wanted);
  return parse(bytes, { bom: true, columns: true, record_delimiter: "\r\n" });
}

async function everyColumn(reportType: string): Promise<string[]> {
  const { reportTypes } = await exportOptions(app.db, network.admin);
  const type = reportTypes.find(({ value }) => value === reportType);
  return type?.columns.map(({ value }) => value) ?? [];
}

const always = { range_mode: "range" as const, start_date: "01011990", end_date: "12312090" };

describe("a file", () => {
  test("is UTF-8 with a byte order mark, lines end with CRLF, the header has labels in the type's order", async () => {
    const { bytes } = await exportedFile(app, admin, {
      report_type: "attorneys",
      columns: ["email", "bar_number", "first_name", "last_name"],
    });
    const [header, ...lines] = bytes.toString("utf8").split("\r\n");
    expect(header).toBe("\uFEFFFirst name,Last name,Email,Bar number");
    expect(lines).toEqual([
      `José,"'=HYPERLINK(""http://evil.example"",""Click"")",jose@example.test,'-12`,
      `Ada,"O""Neil, Jr.",${ada.email},""`,
      "",
    ]);
    expect(bytes.subarray(0, 3)).toEqual(Buffer.from([0xef, 0xbb, 0xbf]));
  });

  test.each([
    ["=1+1", "'=1+1"],
    ["+1 555 0100", "'+1 555 0100"],
    ["-5", "'-5"],
    ["@SUM(A1)", "'@SUM(A1)"],
    ["\tx", "'\tx"],
    ["\rx", "'\rx"],
    ["\n=x", "'\n'=x"],
    ["two\n=1+1\r\n-5", "two\n'=1+1\r\n'-5"],
    ["a=1", "a=1"],
    ["two\nlines", "two\nlines"],
    ["two\r\nlines", "two\r\nlines"],
    ['say "x", y', 'say "x", y'],
    ["", ""],
    ["\\.", "\\."],
    ["'=x", "''=x"],
    ["O'Neil", "O'Neil"],
    ["日本 🎉", "日本 🎉"],
    ["first; second", "first; second"],
    [";", ";"],
    ["a;=1+1", "a;'=1+1"],
    ["a;+1;-1;@x;\ty", "a;'+1;'-1;'@x;'\ty"],
    ["=1;=2", "'=1;'=2"],
    ["a; =1", "a; =1"],
  ])("holds the text %j as %j", async (text, cell) => {
    await sql`update attorneys set phone = ${text} where id = ${grace.id}`.execute(app.db);
    const [row] = await rowsOf({ report_type: "attorneys", columns: ["phone", "first_name"] });
    expect(row).toEqual({ "First name": "José", Phone: cell });
  });

  test("quotes a cell with a semicolon", async () => {
    await sql`update attorneys set phone = 'a;b', address_line_1 = 'say ""; "so"', address_line_2 = 'plain'
      where id = ${grace.id}`.execute(app.db);
    const columns = ["first_name", "phone", "address_line_1", "address_line_2", "address_city"];
    const { bytes } = await exportedFile(app, admin, { report_type: "attorneys", columns });
    const [, line] = bytes.toString("utf8").split("\r\n");
    expect(line).toBe('José,"a;b","say """"; ""so""",plain,""');
  });

  test.each(["a;=1+1", "a;=1+1;b", "=1;=2;", ';=HYPERLINK("x");', "x;-1;@a;+b", 'a;"=1+1;b'])(
    "shows %j to no reader that splits at semicolons as a formula",
    async (typed) => {
      await sql`update attorneys set phone = ${typed} where id = ${grace.id}`.execute(app.db);
      const columns = ["first_name", "phone"];
      const { bytes } = await exportedFile(app, admin, { report_type: "attorneys", columns });
      const formulas = (records: string[][]) =>
        records.flat().filter((cell) => /^"*[=+\-@\t\r\n]/.test(cell));
      const atBoth: string[][] = parse(bytes, { bom: true, delimiter: [",", ";"] });
      expect(atBoth.map((cells) => cells.length)).toEqual([2, 2, 2]);
      expect(formulas(atBoth)).toEqual([]);
      // Split at semicolons only, a quote after a comma is an ordinary letter.
      const loose = { bom: true, quote: null, relax_column_count: true };
      expect(formulas(parse(bytes, { ...loose, delimiter: ";" }))).toEqual([]);
    },
  );

  test("is named after the network, the report and the days", async () => {
    const { headers } = await exportedFile(app, admin, {
      report_type: "subscription_debits",
      columns: ["debit_id"],
      ...always,
    });
    expect(headers["content-disposition"]).toBe(
      'attachment; filename="hofe-sohne-subscription-debits-1990-01-01-to-2090-12-31.csv"',
    );
    expect(headers["content-type"]).toBe("text/csv; charset=utf-8");
    const aging = await exportedFile(app, admin, { report_type: "receivables_aging" });
    expect(aging.headers["content-disposition"]).toContain(
      '"hofe-sohne-receivables-aging-2026-11-21.csv"',
    );
  });
});

/** A card payment of $50.00 with a given final outcome, made by the product's own statements. */
async function aCardPayment(
  owner: MadeNetwork,
  payer: MadeAttorney,
  index: number,
  outcome: string,
): Promise<void> {
  const debit = await makeDebit(app.db, owner, payer);
  await sql`with paid as (
      insert into payments (network_id, attorney_id, method, amount_cents)
      values (${owner.id}, ${payer.id}, 'online', 5000) returning id
    ), shared as (
      insert into payment_allocations (network_id, attorney_id, payment_id, debit_id, amount_cents)
      select ${owner.id}, ${payer.id}, id, ${debit}, 5000 from paid
    )
    insert into card_payments (network_id, payment_id, attorney_id, processor, card_processor_id,
      reference, token_hash, shares_hash, next_look_at)
    select ${owner.id}, paid.id, ${payer.id}, 'anet', p.id, ${`REFERENCE00${index}`}, ${`t${index}`},
      ${`s${index}`}, now()
    from paid, card_processors p where p.network_id = ${owner.id}`.execute(app.db);
  const settle = async (state: string) =>
    await sql`update card_payments set state = ${state}, next_look_at = null,
        settled_at = '2026-03-04T12:00:00Z', card_brand = 'Visa', card_last_four = '1111',
        transaction_id = case ${state} when 'declined' then null else ${`T${index}`} end
      where network_id = ${owner.id} and token_hash = ${`t${index}`}`.execute(app.db);
  if (outcome === "processing") return;
  await settle(outcome === "refunded" ? "captured" : outcome);
  if (outcome !== "refunded") return;
  await sql`with paid as (
      select network_id, payment_id from card_payments where network_id = ${owner.id} and token_hash = ${`t${index}`}
    ), taken as (
      update payment_allocations s set status = 'refunded', decided_at = '2026-03-09T12:00:00Z'
      from paid where s.network_id = paid.network_id and s.payment_id = paid.payment_id
    )
    insert into card_transactions (network_id, payment_id, kind, amount_cents, happened_on, done_by, created_at)
    select network_id, payment_id, 'refund', 5000, '2026-03-09', 'hand', '2026-03-09T12:00:00Z' from paid`.execute(
    app.db,
  );
}

describe("debits, payments and adjustments", () => {
  let debit: number;
  let late: number;

  beforeAll(async () => {
    debit = await makeDebit(app.db, network, grace, {
      amountCents: 12_345,
      dueOn: "2026-10-15",
      planName: "Panel dues",
      note: "Family",
    });
    late = await makeDebit(app.db, network, grace, { amountCents: 5_000, dueOn: "2026-08-01" });
    await admin.call(adjustDebit, {
      body: { debit_id: debit, amount: "23.45", adjustment_note: "=1+2" },
    });
    await admin.call(adjustDebit, {
      body: { debit_id: late, amount: "1.00", direction: "increase" },
    });
    const hash = { [debit]: "40.00", [late]: "10.00" };
    await admin.call(payByCheck, { body: { payment_hash: hash, check_number: "1001" } });
    const { rows } = await sql<{
      id: number;
    }>`select id from payment_allocations where debit_id = ${debit}`.execute(app.db);
    await admin.call(confirmChecks, { body: { statuses: { [rows[0]?.id ?? 0]: "approved" } } });
  });

  test("debits add up: amount, adjustments, paid, balance", async () => {
    const rows = await rowsOf({
      report_type: "subscription_debits",
      columns: await everyColumn("subscription_debits"),
      range_mode: "all-time",
    });
    expect(rows).toHaveLength(2);
    expect(rows[0]).toMatchObject({
      "Debit ID": String(debit),
      "Attorney ID": String(grace.id),
      "Attorney email": "jose@example.test",
      Subscription: "Panel dues",
      Note: "Family",
      "Payment schedule": "$123.45 every month",
      "Billing period": "1",
      "Due date": "10/15/2026",
      Amount: "123.45",
      Adjustments: "-23.45",
      Paid: "40.00",
      Balance: "60.00",
      "Pending payments": "0.00",
      "Days overdue": "37",
      Status: "Overdue",
    });
    expect(rows[1]).toMatchObject({
      Amount: "50.00",
      Adjustments: "1.00",
      Paid: "0.00",
      Balance: "51.00",
      "Pending payments": "10.00",
    });
    expect(Object.keys(rows[0] ?? {}).length).toBeGreaterThanOrEqual(12);
  });

  test("payments have one row per share, and say which of them count", async () => {
    const rows = await rowsOf({
      report_type: "subscription_payments",
      columns: await everyColumn("subscription_payments"),
      ...always,
    });
    expect(rows).toHaveLength(2);
    expect(rows[0]?.["Payment ID"]).toBe(rows[1]?.["Payment ID"]);
    const shared = {
      Method: "Check",
      "Check number": "1001",
      "Payment total": "50.00",
      "Recorded by": "Ada Min",
    };
    expect(rows[0]).toMatchObject({
      ...shared,
      "Debit ID": String(debit),
      Amount: "40.00",
      "Amount received": "40.00",
      Status: "Approved",
      "Confirmed by": "Ada Min",
    });
    expect(rows[1]).toMatchObject({
      ...shared,
      "Debit ID": String(late),
      Amount: "10.00",
      "Amount received": "0.00",
      Status: "Pending",
      "Confirmed on": "",
    });
  });

  test("card payments have their transaction; a declined one is no payment, a refund no receipt", async () => {
    const own = await makeNetwork(app.db, { timeZone: "America/New_York" });
    const visitor = await signedIn(app, "admin", own);
    const payer = await makeAttorney(app.db, own);
    await sql`insert into card_processors (network_id, processor, live, brandmarks, public_keys, encrypted_secrets, key_version)
      values (${own.id}, 'anet', false, '{visa}', '{}', 'x', 1)`.execute(app.db);
    const outcomes = ["captured", "declined", "refunded", "processing"];
    for (const [index, outcome] of outcomes.entries())
      await aCardPayment(own, payer, index, outcome);
    const { bytes } = await exportedFile(app, visitor, {
      report_type: "subscription_payments",
      columns: [
        "card",
        "processor",
        "transaction_id",
        "status",
        "amount",
        "amount_received",
        "confirmed_on",
        "refunded_on",
        "method",
      ],
      ...always,
    });
    const rows: Record<string, string>[] = parse(bytes, { bom: true, columns: true });
    expect(rows.map((row) => Object.values(row))).toEqual([
      ["Card", "Visa 1111", "anet", "T0", "Paid", "50.00", "50.00", "03/04/2026", ""],
      ["Card", "Visa 1111", "anet", "T2", "Refunded", "50.00", "0.00", "03/04/2026", "03/09/2026"],
      ["Card", "", "anet", "", "Being confirmed", "50.00", "0.00", "", ""],
    ]);
  });

  test("adjustments are numbers, negative if the balance decreased", async () => {
    const rows = await rowsOf({
      report_type: "debit_adjustments",
      columns: await everyColumn("debit_adjustments"),
      ...always,
    });
    expect(rows).toHaveLength(2);
    expect(rows[0]).toMatchObject({
      Direction: "Decrease",
      Amount: "23.45",
      "Change of balance": "-23.45",
      Reason: "'=1+2",
      "Adjusted by": "Ada Min",
      "Balance now": "60.00",
    });
    expect(rows[1]).toMatchObject({
      Direction: "Increase",
      Amount: "1.00",
      "Change of balance": "1.00",
      Reason: "",
    });
  });

  test("attorneys have the amounts they owe", async () => {
    const [row] = await rowsOf({
      report_type: "attorneys",
      columns: await everyColumn("attorneys"),
    });
    expect(row).toMatchObject({
      Status: "Active",
      Balance: "111.00",
      Overdue: "111.00",
      "Pending payments": "10.00",
      "Has an account": "No",
      Subscriptions: "2",
    });
  });

  test("receivables age by the network's day", async () => {
    await makeDebit(app.db, network, ada, { amountCents: 100, dueOn: "2026-11-21" });
    await makeDebit(app.db, network, ada, { amountCents: 200, dueOn: "2026-11-20" });
    await makeDebit(app.db, network, ada, { amountCents: 400, dueOn: "2026-10-22" });
    await makeDebit(app.db, network, ada, { amountCents: 800, dueOn: "2026-10-21" });
    await makeDebit(app.db, network, ada, { amountCents: 1_600, dueOn: "2026-09-22" });
    await makeDebit(app.db, network, ada, { amountCents: 3_200, dueOn: "2026-09-21" });
    await makeDebit(app.db, network, ada, { amountCents: 6_400, dueOn: "2026-08-23" });
    await makeDebit(app.db, network, ada, { amountCents: 12_800, dueOn: "2026-08-22" });
    const rows = await rowsOf({ report_type: "receivables_aging" });
    expect(rows).toHaveLength(2);
    const row = rows.find((one) => one["Attorney ID"] === String(ada.id));
    expect(row).toMatchObject({
      Current: "1.00",
      "1–30 days": "6.00",
      "31–60 days": "24.00",
      "61–90 days": "96.00",
      "Over 90 days": "128.00",
      "Total owed": "255.00",
      "Oldest due date": "08/22/2026",
    });
  });

  test("only one attorney's rows, if chosen", async () => {
    const rows = await rowsOf({
      report_type: "subscription_debits",
      columns: ["attorney_id"],
      range_mode: "all-time",
      attorney_id: ada.id,
    });
    expect(new Set(rows.map((row) => row["Attorney ID"]))).toEqual(new Set([String(ada.id)]));
    expect(rows).toHaveLength(8);
  });

  test("days are the network's own, first and last included", async () => {
    // In Los Angeles: 23:59:59 on 10/31, midnight on 11/01, and the hour that occurs twice on that day.
    const instants = [
      "2026-11-01T06:59:59Z",
      "2026-11-01T07:00:00Z",
      "2026-11-01T09:30:00Z",
      "2026-11-02T07:59:59Z",
      "2026-11-02T08:00:00Z",
    ];
    const own = await makeNetwork(app.db, { timeZone: "America/Los_Angeles" });
    const attorney = await makeAttorney(app.db, own);
    for (const instant of instants) {
      const id = await makeDebit(app.db, own, attorney);
      await sql`alter table debits disable trigger user`.execute(app.db);
      await sql`update debits set created_at = ${instant} where id = ${id}`.execute(app.db);
      await sql`alter table debits enable trigger user`.execute(app.db);
    }
    const visitor = await signedIn(app, "admin", own);
    const { bytes } = await exportedFile(app, visitor, {
      report_type: "subscription_debits",
      columns: ["created_on"],
      start_date: "11012026",
      end_date: "11012026",
    });
    expect(bytes.toString().split("\r\n").slice(1, -1)).toEqual([
      "11/01/2026",
      "11/01/2026",
      "11/01/2026",
    ]);
    const due = await exportedFile(app, visitor, {
      report_type: "subscription_debits",
      columns: ["due_on"],
      start_date: "01312026",
      end_date: "01312026",
      time_filter_mode: "due_on",
    });
    expect(due.bytes.toString().split("\r\n").slice(1, -1)).toHaveLength(5);
  });
});

/** After changing a definition, run `npm test -- src/office/reports/files.test.ts -u` to update it. */
test("docs/exports.md lists each file's contents", async () => {
  const { describeReports } = await import("#tests/support/exports.ts");
  const path = fileURLToPath(new URL("../../../docs/exports.md", import.meta.url));
  const [introduction = ""] = readFileSync(path, "utf8").split(/^## /m);
  await expect(`${introduction}${describeReports()}\n`).toMatchFileSnapshot(path);
});
