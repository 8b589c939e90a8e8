import { parse } from "csv-parse/sync";
import { Temporal } from "temporal-polyfill";
import { expect } from "vitest";
import { dayIn } from "#kit/domain/calendar.ts";
import { cents, type Cents, centsFromDollars, sum } from "#kit/domain/money.ts";
import { listChecks } from "#payments/checks/contract.ts";
import { listDebits } from "#dues/ledger/debits.list.ts";
import { listExports, retryExport, cancelExport } from "#kit/list/reports-contract.ts";
import { listFirms } from "#panel/firms/contract.ts";
import { makeAttorney } from "#tests/support/records/attorneys.ts";
import { makeNetwork } from "#tests/support/records/networks.ts";
import { listActivity } from "#office/activity/contract.ts";
import { actionTitle, changesText, recordLabels } from "#office/activity/shapes.ts";
import { editAttorney, inviteAttorney } from "#people/contract.ts";
import { makePlan } from "#main/demo/records/dues.ts";
import { listMail } from "#outgoing/mail/contract.ts";
import { subscribeAll } from "#dues/plans/contract.ts";
import { listPayments } from "#payments/payments.list.ts";
import { admin, app, appTest, network } from "#tests/support/app-test.ts";
import { aChargedDebit, aCheck } from "#tests/support/check-records.ts";
import { exportedFile } from "#tests/support/exports.ts";
import { aFirm } from "#tests/support/received-checks.ts";

const test = appTest({ clock: "2026-05-10T16:00:00Z", network: {} });

/** The rows of a list's report, by heading. */
async function exported(report_type: string, filters: Record<string, unknown>) {
  const { bytes, made } = await exportedFile(app, admin, { report_type, filters } as never);
  const rows: Record<string, string>[] = parse(bytes, { bom: true, columns: true });
  return { rows, made };
}

const total = (rows: Record<string, string>[], heading: string): Cents =>
  sum(rows.map((row) => centsFromDollars(row[heading] ?? "") ?? cents(0)));

test("Export these has exactly the rows of the list, on all pages and whatever their dates", async () => {
  const hale = await makeAttorney(app.db, network, { firstName: "Quinn", lastName: "Hale" });
  const abel = await makeAttorney(app.db, network, { firstName: "Nora", lastName: "Abel" });
  const firm = await aFirm(app.db, network, [hale]);
  for (const [number, attorneyId, creditCents, receivedOn] of [
    ["11", hale.id, 5000, "2024-03-01"],
    ["12", hale.id, 7000, "2026-05-01"],
    ["13", abel.id, 9000, "2026-05-02"],
    ["14", hale.id, 1100, "2026-05-03"],
  ] as const)
    await aCheck(app.db, network, { number, receivedOn, parts: [{ attorneyId, creditCents }] });
  for (const amountCents of [2500, 1250])
    await aChargedDebit(app.db, network, hale, { amountCents, dueOn: "2026-01-31" });

  const search = { search: "hale", status: "pending", from: "2024-01-01" } as const;
  const list = await admin.call(listChecks, { query: { ...search, per_page: "1" } });
  expect(list).toMatchObject({ total: 3, totals: { amount: 13_100 } });
  const checks = await exported("checks", search);
  expect(checks.rows.map((row) => row["Check number"])).toEqual(["11", "12", "14"]);
  expect(total(checks.rows, "Amount")).toBe(list.totals.amount);
  expect(checks.made.scope).toBe("Checks, pending, matching “hale”, received from 01/01/2024");

  const paid = await admin.call(listPayments, { query: { attorney_id: String(hale.id) } });
  const payments = await exported("payments", { attorney_id: hale.id });
  expect(payments.rows).toHaveLength(paid.total);
  expect(total(payments.rows, "Amount")).toBe(paid.totals.amount);
  expect(payments.made.scope).toBe("Payments of Quinn Hale");

  const overdue = { state: "overdue", min_days: "90", firm_id: String(firm) } as const;
  const owed = await admin.call(listDebits, { query: overdue });
  expect(owed).toMatchObject({ total: 2, totals: { balance: 3750, pending: 0 } });
  const debits = await exported("subscription_debits", overdue);
  expect(total(debits.rows, "Balance")).toBe(owed.totals.balance);
  expect((await exported("subscription_debits", { state: "paid" })).rows).toEqual([]);

  const firms = await admin.call(listFirms, { query: { sort: "-owed" } });
  expect(firms).toMatchObject({ total: 1, totals: { balance: 3750, credit: 0 } });
  expect(total((await exported("firms", {})).rows, "Owed")).toBe(3750);
});

test("Export these on the office's lists has the rows and the words of the screen", async () => {
  const maya = await makeAttorney(app.db, network, { firstName: "Maya", lastName: "Okafor" });
  const plan = await makePlan(app.db, network, { name: "Panel dues", amountCents: 5000 });
  await makeAttorney(app.db, network, { firstName: "Ben", lastName: "Adler" });
  await admin.call(editAttorney, {
    params: { id: maya.id },
    body: { phone: "(555) 010-4478", address_city: '=HYPERLINK("x")' },
  });
  await admin.call(subscribeAll, {
    body: {
      lrs_subscription_id: plan.id,
      start_date: "2026-05-10",
      bill_immediately: true,
      note: "",
    },
  });
  const query = { attorney_id: String(maya.id) };
  const list = await admin.call(listActivity, { query });
  const about = await exported("activity", query);
  expect(about.made.scope).toBe("Activity about Maya Okafor");
  const shown = list.items.map(({ at, who, action, recordType, recordName, before, after }) => [
    dayIn("America/New_York", Temporal.Instant.from(at)).toString(),
    who,
    actionTitle(action),
    recordLabels[recordType],
    recordName,
    changesText(before, after, "America/New_York"),
  ]);
  const written = about.rows.map((row) => [
    row["When"]?.replace(/^(\d\d)\/(\d\d)\/(\d{4}) .*/, "$3-$1-$2"),
    row["Who"],
    row["What"],
    row["Record"],
    row["Name"],
    row["Changes"],
  ]);
  expect(written).toEqual(shown);
  expect(written.map(([, , what]) => what)).toEqual([
    "Enrolled by Subscribe all",
    "Changed details",
  ]);
  expect(written[1]?.at(-1)).toContain("Phone: nothing → (555) 010-4478");

  const ordered = await exported("activity", { record_type: "data export" });
  expect(ordered.made.scope).toBe("Activity, of the kind report");
  expect(ordered.rows.map((row) => [row["What"], row["Name"]])).toEqual([
    ["Requested report", "Activity"],
    ["Prepared report", "Activity"],
    ["Requested report", "Activity"],
  ]);
  const reports = await exported("reports", {});
  expect(reports.rows.map((row) => [row["Report"], row["List"], row["Status"]])).toEqual([
    ["Reports", "Reports: all", "Preparing"],
    ["Activity", "Activity, of the kind report", "Ready"],
    ["Activity", "Activity about Maya Okafor", "Ready"],
  ]);
  expect((await exported("reports", { waiting: "failed" })).rows).toEqual([]);

  const plans = await exported("subscriptions", {});
  expect(plans.rows).toMatchObject([{ Name: "Panel dues", Enrolled: "2", Owed: "100.00" }]);
  await admin.call(inviteAttorney, { params: { id: maya.id } });
  const mail = await admin.call(listMail, { query: { status: "queued", sort: "-to" } });
  const mailed = await exported("mail", { status: "queued" });
  expect(mailed.rows.map((row) => [row["To"], row["Subject"], row["Status"]])).toEqual(
    mail.items.map(({ recipient, subject }) => [recipient, subject, "Waiting"]),
  );
  expect(mailed.rows).toHaveLength(1);
});

test("sign-in records are in an activity report only if it is filtered by them", async () => {
  const { id } = await makeAttorney(app.db, network);
  await admin.call(inviteAttorney, { params: { id } });
  const what = (rows: Record<string, string>[]) => rows.map((row) => row["What"]);
  const traces = await exported("activity", { record_type: "sign-in" });
  expect(what(traces.rows)).toContain("Made a sign-in link");
  expect(what((await exported("activity", {})).rows)).not.toContain("Made a sign-in link");
  const wanted = { report_type: "activity", columns: ["what"], range_mode: "range" as const };
  const days = { start_date: "01011990", end_date: "12312090" };
  const { bytes } = await exportedFile(app, admin, { ...wanted, ...days });
  const rows: Record<string, string>[] = parse(bytes, { bom: true, columns: true });
  expect(what(rows)).toContain("Requested report");
  expect(what(rows)).not.toContain("Made a sign-in link");
});

test("retrying a list's report keeps its filters", async () => {
  const { id } = await makeAttorney(app.db, network);
  for (const number of ["1", "2"])
    await aCheck(app.db, network, { number, parts: [{ attorneyId: id, creditCents: 100 }] });
  const body = { report_type: "checks", filters: { search: "2" } };
  const ordered = await admin.send("POST", "/data_export.json", body);
  const [made] = (await admin.call(listExports)).items;
  expect(JSON.parse(ordered.text)).toMatchObject({ success: true, id: made?.id });
  const params = { id: made?.id ?? 0 };
  await admin.call(cancelExport, { params });
  expect(await admin.call(retryExport, { params })).toMatchObject({
    scope: "Checks matching “2”",
  });
});

test("a report checks filters as the list does, including for another network's records", async () => {
  const other = await makeNetwork(app.db);
  const stranger = await makeAttorney(app.db, other);
  const ask = async (report_type: string, filters: unknown) => {
    const { status, text } = await admin.send("POST", "/data_export.json", {
      report_type,
      filters,
    });
    return { status, ...(JSON.parse(text) as { message: string; errors?: unknown }) };
  };
  expect(await ask("checks", { status: "gone" })).toMatchObject({
    status: 422,
    errors: [{ path: "filters.status" }],
  });
  expect(await ask("checks", { page: "2" })).toMatchObject({ status: 422 });
  expect(await ask("receivables_aging", {})).toMatchObject({
    status: 422,
    message: "Receivables aging cannot take the filters of a list.",
  });
  expect(await ask("checks", { attorney_id: stranger.id })).toMatchObject({
    status: 404,
    message: "There is no such attorney.",
  });
  expect(await ask("attorneys", { ids: String(stranger.id) })).toMatchObject({
    status: 404,
    message: "There is no such attorney.",
  });
  expect(await ask("checks", { firm_id: await aFirm(app.db, other, []) })).toMatchObject({
    status: 404,
  });
  expect((await admin.call(listExports)).total).toBe(0);
});
