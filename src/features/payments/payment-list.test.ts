import { expect } from "vitest";
import type { Cents } from "#domain/money.ts";
import { listChecks } from "#features/checks/contract.ts";
import { makeAttorney } from "#features/demo/records/attorneys.ts";
import { listPayments } from "#features/payments/contract.ts";
import { admin, app, appTest, network } from "#tests/support/app-test.ts";
import { aCheck, bounceCheck, decideCheck } from "#tests/support/desk.ts";

const test = appTest({ network: {} });

test("sums of payments and of checks are apart by what became of them, and each is a filter", async () => {
  const hale = await makeAttorney(app.db, network, { firstName: "Quinn", lastName: "Hale" });
  const check = async (number: string, creditCents: number) =>
    await aCheck(app.db, network, { number, parts: [{ attorneyId: hale.id, creditCents }] });
  await check("1", 100);
  await decideCheck(app.db, network, await check("2", 1000), "approved");
  await decideCheck(app.db, network, await check("3", 10_000), "denied");
  const returned = await check("4", 100_000);
  await decideCheck(app.db, network, returned, "approved");
  await bounceCheck(app.db, network, returned);
  const parts = { pending: 100, denied: 10_000, returned: 100_000 };
  const paid = await admin.call(listPayments, { query: { per_page: "1" } });
  expect(paid.totals.amount).toBe(111_100);
  expect(sumsOf(paid)).toEqual({ ...parts, received: 1000 });
  const checks = await admin.call(listChecks, { query: { per_page: "1" } });
  expect(sumsOf(checks)).toEqual({ ...parts, approved: 1000 });
  for (const { status, amount } of paid.totals.parts) {
    const only = await admin.call(listPayments, {
      query: { status, attorney_id: String(hale.id) },
    });
    expect(only.totals).toEqual({ amount, parts: [{ status, amount }] });
  }
  for (const { status, amount } of checks.totals.parts) {
    const only = await admin.call(listChecks, { query: { status } });
    expect(only.totals).toEqual({ amount, parts: [{ status, amount }] });
  }
});

const sumsOf = ({ totals }: { totals: { parts: { status: string; amount: Cents }[] } }) =>
  Object.fromEntries(totals.parts.map(({ status, amount }) => [status, amount]));

test("payments are listed by what they are and what became of them", async () => {
  const hale = await makeAttorney(app.db, network, { firstName: "Quinn", lastName: "Hale" });
  const abel = await makeAttorney(app.db, network, { firstName: "Nora", lastName: "Abel" });
  const ids = { hale: hale.id, abel: abel.id };
  for (const [number, who, creditCents] of [
    ["98", "hale", 5000],
    ["102", "abel", 3000],
    ["103", "hale", 4000],
  ] as const) {
    const check = await aCheck(app.db, network, {
      number,
      parts: [{ attorneyId: ids[who], creditCents }],
    });
    if (number === "98") await decideCheck(app.db, network, check, "approved");
  }
  const numbers = async (query: Record<string, string>) =>
    (await admin.call(listPayments, { query })).items.map(({ checkNumber }) => checkNumber);
  expect(await numbers({})).toEqual(["103", "102", "98"]);
  expect(await numbers({ sort: "method" })).toEqual(["98", "102", "103"]);
  expect(await numbers({ sort: "attorney" })).toEqual(["102", "98", "103"]);
  expect(await numbers({ sort: "-amount" })).toEqual(["98", "103", "102"]);
  expect(await numbers({ status: "approved" })).toEqual(["98"]);
  expect(await numbers({ status: "received" })).toEqual(["98"]);
  expect(await numbers({ search: "nora" })).toEqual(["102"]);
  expect(await numbers({ search: "40.00" })).toEqual(["103"]);
  expect(await numbers({ method: "online" })).toEqual([]);
  expect(await numbers({ to: "2020-01-01" })).toEqual([]);
});
