import { parse } from "csv-parse/sync";
import { sql } from "kysely";
import { expect } from "vitest";
import type { Cents } from "#kit/domain/money.ts";
import { makeHeldMoneyCredit } from "#payments/deposits/contract.ts";
import { listChecks } from "#payments/checks/contract.ts";
import { makeAttorney } from "#tests/support/records/attorneys.ts";
import { showReceipt } from "#payments/contract.ts";
import { listPayments } from "#payments/payments.list.ts";
import { admin, app, appTest, network } from "#tests/support/app-test.ts";
import {
  aChargedDebit,
  aCheck,
  aHeldCheck,
  bounceCheck,
  decideCheck,
} from "#tests/support/check-records.ts";

import { exportedFile } from "#tests/support/exports.ts";

const test = appTest({ network: {} });

test("payments and checks have sums by status, and each status is a filter", async () => {
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

test("payments are sorted, searched and filtered by status", async () => {
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

test("the list, its sums, the receipt and the report agree on what was received", async () => {
  const hale = await makeAttorney(app.db, network, { firstName: "Quinn", lastName: "Hale" });
  const debit = async () => await aChargedDebit(app.db, network, hale, { amountCents: 10_000 });
  const debits = [await debit(), await debit()] as const;
  const [one, other] = debits;
  const check = async (number: string, shares: Record<number, number>, creditCents = 0) =>
    await aCheck(app.db, network, {
      number,
      parts: [{ attorneyId: hale.id, shares, creditCents }],
    });
  // Partly denied, partly decided, denied, returned, and one whose denied part became credit.
  const partly = await check("1", { [one]: 4000, [other]: 3000 }, 500);
  await decideCheck(app.db, network, partly, "approved", [other]);
  await sql`update payment_allocations set status = 'approved', decided_at = now()
    where debit_id = ${one} and payment_id in (
      select id from payments where received_check_id = ${await check("2", { [one]: 900, [other]: 600 })})`.execute(
    app.db,
  );
  await decideCheck(app.db, network, await check("3", { [one]: 100 }), "denied");
  const returned = await check("4", { [one]: 200 });
  await decideCheck(app.db, network, returned, "approved");
  await bounceCheck(app.db, network, returned);
  const held = await aHeldCheck(app.db, network, hale, 800);
  const listed = async () => await admin.call(listPayments);
  const receivedOf = async (checkId: number) => {
    const payment = (await listed()).items.find((item) => item.checkId === checkId);
    return [payment?.amount, payment?.denied, payment?.received];
  };
  expect(await receivedOf(held)).toEqual([1300, 800, 500]);
  await admin.call(makeHeldMoneyCredit, {
    params: { id: held },
    body: { attorney_id: hale.id },
  });
  expect(await receivedOf(held)).toEqual([1300, 0, 1300]);
  expect(await receivedOf(partly)).toEqual([7500, 3000, 4500]);

  const { items, totals } = await listed();
  expect(items.map(({ status, received }) => [status, received])).toEqual([
    ["approved", 1300],
    ["returned", 0],
    ["denied", 0],
    ["pending", 900],
    ["approved", 4500],
  ]);
  const received = items.reduce((added, item) => added + item.received, 0);
  expect(sumsOf({ totals })).toEqual({
    received,
    pending: 600,
    denied: 100,
    partly_denied: 3000,
    returned: 200,
  });
  for (const item of items) {
    const receipt = await admin.call(showReceipt, { params: { id: item.id } });
    const { status, amount, denied } = item;
    expect(receipt).toMatchObject({ status, amount, denied, received: item.received });
  }
  const file = await exportedFile(app, admin, {
    report_type: "payments",
    columns: ["payment_id", "amount_received"],
    filters: {},
  });
  expect(parse(file.bytes, { bom: true, from_line: 2 })).toEqual(
    items.toReversed().map((item) => [String(item.id), (item.received / 100).toFixed(2)]),
  );
});
