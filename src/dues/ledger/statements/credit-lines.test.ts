import { expect } from "vitest";
import { returnCheck } from "#payments/checks/contract.ts";
import { makeHeldMoneyCredit } from "#payments/deposits/contract.ts";
import { changeCredit } from "#dues/ledger/contract.ts";
import { showStatement } from "#dues/ledger/statements/contract.ts";
import { admin, app, appTest, attorney, network } from "#tests/support/app-test.ts";
import { aChargedDebit, aCheck, aHeldCheck, decideCheck } from "#tests/support/check-records.ts";
import { todayInNewYork } from "#tests/support/today.ts";
import { pdfPages } from "#tests/support/pictures.ts";

/* A statement has a line for every change, credit received and refunded too. Source: book rule 12. */

const test = appTest({
  network: {},
  attorney: { firstName: "Ada", lastName: "Byron" },
});

const days = { from: "2020-01-01", to: "2199-12-31" };
const statement = () => admin.call(showStatement, { params: { id: attorney.id }, query: days });
/** The text of the PDF. */
async function printed(): Promise<string> {
  const url = `/attorneys/${attorney.id}/statement.pdf?from=${days.from}&to=${days.to}`;
  return pdfPages((await admin.sendRaw({ method: "GET", url })).bytes).join("\n");
}

const lines = async () =>
  (await statement()).lines.map(({ kind, description, charge, payment, credit, balance }) => [
    kind,
    description.replace(/, due [\d/]+$/, ""),
    charge,
    payment,
    credit,
    balance,
  ]);

/** Check 1020 of $90.00: $60.00 on a fee of $80.00, $30.00 as credit. Returns its id and the fee's. */
async function aCheckWithCredit() {
  const fee = await aChargedDebit(app.db, network, attorney, { amountCents: 8000 });
  const check = await aCheck(app.db, network, {
    number: "1020",
    parts: [{ attorneyId: attorney.id, shares: { [fee]: 6000 }, creditCents: 3000 }],
  });
  await decideCheck(app.db, network, check, "approved");
  return { fee, check };
}

const use = (body: object) => admin.ask(changeCredit, { params: { id: attorney.id }, body });

test("credit received, applied, refunded and reversed with its check has lines, apart from the balance", async () => {
  const { fee, check } = await aCheckWithCredit();
  await use({ action: "apply", amount: "15.00", debit_id: fee });
  await use({ action: "give_back", amount: "5.00", note: "Our check 901" });
  await admin.call(returnCheck, { params: { id: check }, body: { returned_on: todayInNewYork() } });
  expect(await lines()).toEqual([
    ["charge", "Late fee", 8000, 0, 0, 8000],
    ["payment", "Check 1020 ($90.00, including $30.00 kept as credit)", 0, 6000, 0, 2000],
    ["credit", "Credit received: Check 1020", 0, 0, 3000, 2000],
    ["credit", "Credit applied to Late fee", 0, 1500, -1500, 500],
    ["credit", "Credit refunded: Our check 901", 0, 0, -500, 500],
    ["reversal", "Returned by the bank: Check 1020", 6000, 0, 0, 6500],
    ["credit", "Credit reversed from Late fee", 1500, 0, 1500, 8000],
    ["credit", "Credit reversed: Check 1020 was returned", 0, 0, -2500, 8000],
    ["charge", "Credit of returned check 1020", 500, 0, 0, 8500],
  ]);
  const { closing, credit, ...of } = await statement();
  expect({ closing, credit }).toEqual({ closing: 8500, credit: 0 });
  // A change of credit only is neither a charge nor a payment.
  expect(of).toMatchObject({ charged: 8500, paid: 7500, takenBack: 7500, adjusted: 0 });
});

test("a denied part of a check that became credit is a line on its day", async () => {
  const check = await aHeldCheck(app.db, network, attorney, 700);
  await admin.call(makeHeldMoneyCredit, {
    params: { id: check },
    body: { attorney_id: attorney.id },
  });
  const { lines: all, credit } = await statement();
  expect(all.at(-1)).toMatchObject({
    date: todayInNewYork(),
    kind: "credit",
    description: expect.stringMatching(/^Credit received: Denied part of check /),
    credit: 700,
  });
  expect(credit).toBe(700);
});

test("the PDF has a column for credit if any changed", async () => {
  const { fee } = await aCheckWithCredit();
  await use({ action: "apply", amount: "15.00", debit_id: fee });
  const text = await printed();
  for (const said of ["Credit received: Check 1020", "$30.00", "-$15.00"])
    expect(text).toContain(said);
  expect(text).toMatch(/Payments\s+Credit\s+Balance/);
});

test("a statement without changes of credit has no column for it", async () => {
  await aChargedDebit(app.db, network, attorney);
  const text = await printed();
  expect(text).toMatch(/Payments\s+Balance/);
});
