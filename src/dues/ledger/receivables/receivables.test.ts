import { parse } from "csv-parse/sync";
import { expect } from "vitest";
import { showReceivables } from "#dues/ledger/receivables/contract.ts";
import { admin, app, appTest, network } from "#tests/support/app-test.ts";
import { aChargedDebit, aCheck, decideCheck } from "#tests/support/check-records.ts";
import { recordedAt } from "#tests/support/entries.ts";
import { exportedFile } from "#tests/support/exports.ts";
import { makeAttorney } from "#tests/support/records/attorneys.ts";
import { makeNetwork } from "#tests/support/records/networks.ts";

const test = appTest({
  asOwner: true,
  clock: "2026-05-10T16:00:00Z",
  network: { timeZone: "America/New_York" },
});

const asOf = async (day: string) => await admin.call(showReceivables, { query: { as_of: day } });

test("the balances at the end of a day are listed by days overdue then", async () => {
  const other = await makeNetwork(app.db);
  await aChargedDebit(app.db, other, await makeAttorney(app.db, other));
  const hale = await makeAttorney(app.db, network, { firstName: "Quinn", lastName: "Hale" });
  const abel = await makeAttorney(app.db, network, { firstName: "Nora", lastName: "abel" });
  for (const [dueOn, amountCents] of [
    ["2026-04-01", 100],
    ["2026-03-31", 200],
    ["2026-03-02", 400],
    ["2026-03-01", 800],
    ["2026-01-31", 1600],
    ["2026-01-30", 3200],
    ["2025-12-31", 6400],
  ] as const)
    await aChargedDebit(app.db, network, hale, { dueOn, amountCents });
  // Half an hour before midnight in New York.
  await recordedAt(app.db, network, "2026-04-02T03:30:00Z");
  const paid = await aChargedDebit(app.db, network, abel, { amountCents: 5000 });
  await recordedAt(app.db, network, "2026-04-02T04:00:00Z");
  const check = await aCheck(app.db, network, {
    parts: [{ attorneyId: abel.id, shares: { [paid]: 5000 }, creditCents: 700 }],
  });
  await decideCheck(app.db, network, check, "approved");
  await recordedAt(app.db, network, "2026-04-03T12:00:00Z");

  const first = await asOf("2026-04-01");
  const haleThen = {
    attorneyId: hale.id,
    attorneyName: "Quinn Hale",
    current: 100,
    days30: 600,
    days60: 2400,
    days90: 3200,
    over90: 6400,
    total: 12_700,
    credit: 0,
  };
  expect(first.rows.items).toEqual([haleThen]);
  expect(first).toMatchObject({ asOf: "2026-04-01", totals: { attorneyId: null, total: 12_700 } });

  const second = await asOf("2026-04-02");
  expect(second.rows.items.map((row) => [row.attorneyName, row.total])).toEqual([
    ["Nora abel", 5000],
    ["Quinn Hale", 12_700],
  ]);
  const today = await admin.call(showReceivables);
  expect(today).toMatchObject({ asOf: "2026-05-10", totals: { total: 12_700, credit: 700 } });
  expect(today.rows.items[0]).toMatchObject({ attorneyName: "Nora abel", total: 0, credit: 700 });
  expect((await asOf("2026-03-31")).rows).toMatchObject({ items: [], total: 0 });

  const { bytes, made } = await exportedFile(app, admin, {
    report_type: "receivables_as_of",
    columns: ["as_of", "attorney_name", "days_1_to_30", "balance", "credit"],
    start_date: "01012026",
    end_date: "04022026",
  });
  expect(made.scope).toBe("As of 04/02/2026");
  expect(parse(bytes, { bom: true })).toEqual([
    ["As of", "Attorney", "1–30 days", "Total owed", "Credit"],
    ["04/02/2026", "Nora abel", "0.00", "50.00", "0.00"],
    ["04/02/2026", "Quinn Hale", "3.00", "127.00", "0.00"],
  ]);
});

test("a day after today is refused, for the report too; rows are paged, totals cover all pages", async () => {
  const report = { report_type: "receivables_as_of", columns: ["as_of"] };
  for (const [more, path, message] of [
    [{ filters: { as_of: "2026-05-11" } }, "filters.as_of", "As of must be today or earlier."],
    [
      { start_date: "05012026", end_date: "05112026" },
      "end_date",
      "End date must be today or earlier: the report is as of that date.",
    ],
  ] as const) {
    const refused = await admin.send("POST", "/data_export.json", { ...report, ...more });
    expect(JSON.parse(refused.text)).toMatchObject({ message, errors: [{ path, message }] });
  }
  expect(await admin.ask(showReceivables, { query: { as_of: "2026-05-11" } })).toMatchObject({
    status: 422,
    message: "As of must be today or earlier.",
  });
  for (const lastName of ["C", "A", "B"])
    await aChargedDebit(app.db, network, await makeAttorney(app.db, network, { lastName }));
  await recordedAt(app.db, network, "2026-05-10T12:00:00Z");
  const page = await admin.call(showReceivables, { query: { page: 2, per_page: 2 } });
  expect(page.rows.items.map((row) => row.attorneyName)).toEqual(["Grace C"]);
  expect(page).toMatchObject({ rows: { total: 3, page: 2 }, totals: { total: 7500 } });
});

test("receivables sort by any column, and the totals do not change", async () => {
  for (const [lastName, amountCents, dueOn] of [
    ["Abel", 1000, "2026-01-01"],
    ["Moss", 3000, "2026-04-20"],
    ["Young", 2000, "2026-01-01"],
  ] as const) {
    const attorney = await makeAttorney(app.db, network, { firstName: "A", lastName });
    await aChargedDebit(app.db, network, attorney, { amountCents, dueOn });
  }
  await recordedAt(app.db, network, "2026-05-10T12:00:00Z");
  const names = async (sort: "-over90" | "-total" | "-attorney") => {
    const { rows, totals } = await admin.call(showReceivables, { query: { sort } });
    expect(totals.total).toBe(6000);
    return rows.items.map(({ attorneyName }) => attorneyName);
  };
  expect(await names("-over90")).toEqual(["A Young", "A Abel", "A Moss"]);
  expect(await names("-total")).toEqual(["A Moss", "A Young", "A Abel"]);
  expect(await names("-attorney")).toEqual(["A Young", "A Moss", "A Abel"]);
});
