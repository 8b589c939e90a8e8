import { parse } from "csv-parse/sync";
import { sql } from "kysely";
import { beforeEach, expect } from "vitest";
import type { Day } from "#kit/domain/day.ts";
import { returnCheck } from "#payments/checks/contract.ts";
import { changeDeposit, makeDeposit } from "#payments/deposits/contract.ts";
import { adjustDebit } from "#dues/ledger/contract.ts";
import { admin, app, appTest, attorney, network } from "#tests/support/app-test.ts";
import {
  aChargedDebit,
  aCheck,
  bounceCheck,
  decideCheck,
  spendCredit,
} from "#tests/support/check-records.ts";
import { exportedFile } from "#tests/support/exports.ts";
import { aFoundCharge, happened } from "#tests/support/found-charges.ts";
import { makeAttorney } from "#tests/support/records/attorneys.ts";
import { makeNetwork } from "#tests/support/records/networks.ts";
import { makeDebit } from "#tests/support/records/dues.ts";

let today: Day;
const test = appTest({
  network: { timeZone: "UTC" },
  attorney: { firstName: "Ada", lastName: "Byron" },
});

type Line = Record<
  "Account" | "Debit" | "Credit" | "Reference" | "Memo" | "Entry" | "Attorney" | "Kind",
  string
>;

/** The journal of all days, line by line. */
async function journal(): Promise<Line[]> {
  const { bytes } = await exportedFile(app, admin, {
    report_type: "journal",
    columns: [
      "date",
      "entry",
      "account",
      "debit",
      "credit",
      "attorney",
      "reference",
      "memo",
      "kind",
    ],
    start_date: "01011990",
    end_date: "12312090",
  });
  return parse(bytes, { bom: true, columns: true });
}

/** Entries after the first ones, as "debited / credited amount". */
async function entriesAfter(count: number): Promise<string[]> {
  const lines = await journal();
  const entries = [...new Set(lines.map((line) => line.Entry))].map((entry) => {
    const [debit, credit, ...more] = lines.filter((line) => line.Entry === entry);
    expect([more, debit?.Credit, credit?.Debit]).toEqual([[], "", ""]);
    expect(debit?.Debit).toBe(credit?.Credit);
    return `${debit?.Account} / ${credit?.Account} ${debit?.Debit}`;
  });
  return entries.slice(count);
}

let debit: number;

/** Dues of $50.00. */
beforeEach(async () => {
  today = new Date().toISOString().slice(0, 10);
  debit = await makeDebit(app.db, network, attorney, { planName: "Panel dues" });
  const other = await makeNetwork(app.db);
  await makeDebit(app.db, other, await makeAttorney(app.db, other));
});

async function depositOf(check: number): Promise<number> {
  const { id } = await admin.call(makeDeposit, {
    body: { check_ids: [check], deposited_on: today, account_name: "Operating" },
  });
  return id;
}

test("dues, charges and adjustments", async () => {
  await aChargedDebit(app.db, network, attorney, { amountCents: 2500 });
  await admin.call(adjustDebit, {
    body: { debit_id: debit, amount: "10", adjustment_note: "Seminar" },
  });
  await admin.call(adjustDebit, { body: { debit_id: debit, amount: "4", direction: "increase" } });
  expect(await entriesAfter(0)).toEqual([
    "Accounts receivable / Dues income: Panel dues 50.00",
    "Accounts receivable / Other income 25.00",
    "Adjustments / Accounts receivable 10.00",
    "Accounts receivable / Adjustments 4.00",
  ]);
  const lines = await journal();
  expect(lines[4]).toMatchObject({
    Attorney: "Ada Byron",
    Reference: `Debit ${debit}`,
    Memo: "Panel dues: Seminar",
  });
});

test("a check with credit, from its approval through the bank and back", async () => {
  const check = await aCheck(app.db, network, {
    number: "77",
    parts: [{ attorneyId: attorney.id, shares: { [debit]: 3000 }, creditCents: 2000 }],
  });
  await decideCheck(app.db, network, check, "approved");
  const approved = await entriesAfter(1);
  expect(approved.toSorted()).toEqual([
    "Undeposited checks / Accounts receivable 30.00",
    "Undeposited checks / Attorneys' credit 20.00",
  ]);
  await spendCredit(app.db, network, attorney.id, { amountCents: 500, debitId: debit });
  await spendCredit(app.db, network, attorney.id, { amountCents: 300 });
  const deposit = await depositOf(check);
  await admin.call(changeDeposit, { params: { id: deposit }, body: { status: "banked" } });
  await spendCredit(app.db, network, attorney.id, { amountCents: 200 });
  expect(await entriesAfter(3)).toEqual([
    "Attorneys' credit / Accounts receivable 5.00",
    "Attorneys' credit / Bank 3.00",
    "Bank: Operating / Undeposited checks 50.00",
    "Attorneys' credit / Bank: Operating 2.00",
  ]);
  await bounceCheck(app.db, network, check);
  expect((await entriesAfter(7)).toSorted()).toEqual([
    "Accounts receivable / Attorneys' credit 5.00",
    "Accounts receivable / Bank: Operating 30.00",
    "Accounts receivable / Other income 5.00",
    "Attorneys' credit / Bank: Operating 15.00",
    // Refunded credit is charged: the bank took the money, so it is no income.
    "Other income / Bank: Operating 5.00",
  ]);
  const lines = await journal();
  expect(lines.find((line) => line.Account === "Bank: Operating")).toMatchObject({
    Reference: "Deposit 1",
    Memo: "1 check",
    Attorney: "",
  });
});

test("a check returned before it is deposited", async () => {
  const check = await aCheck(app.db, network, {
    parts: [{ attorneyId: attorney.id, shares: { [debit]: 3000 } }],
  });
  await decideCheck(app.db, network, check, "approved");
  await admin.call(returnCheck, { params: { id: check }, body: { returned_on: today } });
  expect(await entriesAfter(2)).toEqual(["Accounts receivable / Undeposited checks 30.00"]);
});

test("a partly denied check is deposited in full, its denied part is held for the payer, and it is returned in full", async () => {
  const other = await aChargedDebit(app.db, network, attorney);
  const check = await aCheck(app.db, network, {
    parts: [{ attorneyId: attorney.id, shares: { [debit]: 3000, [other]: 700 } }],
  });
  await decideCheck(app.db, network, check, "approved", [other]);
  const deposit = await depositOf(check);
  await admin.call(changeDeposit, { params: { id: deposit }, body: { status: "banked" } });
  await admin.call(returnCheck, { params: { id: check }, body: { returned_on: today } });
  expect((await entriesAfter(3)).toSorted()).toEqual([
    "Accounts receivable / Bank: Operating 30.00",
    "Bank: Operating / Undeposited checks 37.00",
    "Held for payers / Bank: Operating 7.00",
    "Undeposited checks / Held for payers 7.00",
  ]);
});

test("a card payment: the excess becomes credit, refunds take it first, and a chargeback is reversed", async () => {
  const charge = { attorneyId: attorney.id, processor: "anet", amountCents: 5900 } as const;
  const payment = await aFoundCharge(app.db, network, charge);
  await happened(app.db, payment, "refund", 2900);
  await happened(app.db, payment, "chargeback", 3000);
  await happened(app.db, payment, "chargeback_reversed", 3000);
  expect(await entriesAfter(1)).toEqual([
    "Card clearing: Authorize.Net / Accounts receivable 50.00",
    "Card clearing: Authorize.Net / Attorneys' credit 9.00",
    "Attorneys' credit / Card clearing: Authorize.Net 9.00",
    "Accounts receivable / Card clearing: Authorize.Net 20.00",
    "Accounts receivable / Card clearing: Authorize.Net 30.00",
    "Card clearing: Authorize.Net / Accounts receivable 30.00",
  ]);
  const kinds = (await journal()).filter(({ Debit }) => Debit !== "").map(({ Kind }) => Kind);
  expect(kinds).toEqual([
    "charge",
    "payment",
    "credit received",
    "credit reversed",
    "refunded",
    "charged back",
    "payment",
  ]);
});

test("accounts have the network's own names, and never run as formulas", async () => {
  await sql`update networks set account_names = '{"accounts_receivable": "1200 A/R", "dues_income": "=4000"}'
    where id = ${network.id}`.execute(app.db);
  expect(await entriesAfter(0)).toEqual(["1200 A/R / '=4000: Panel dues 50.00"]);
});
