import { expect } from "vitest";
import { changeMoneySettings, showMoneySettings } from "#dues/ledger/contract.ts";
import { admin, app, appTest, network } from "#tests/support/app-test.ts";

const test = appTest({ network: {}, attorney: {}, lawyer: true });

const read = async () => (await admin.ask(showMoneySettings)).object;
const change = (body: Record<string, unknown>) => admin.ask(changeMoneySettings, { body });

const begun = {
  appliesCreditAutomatically: true,
  returnedCheckFee: "0.00",
  chargebackFee: "0.00",
  accountNames: {
    accountsReceivable: "Accounts receivable",
    duesIncome: "Dues income",
    held: "Held for payers",
    otherIncome: "Other income",
    undepositedChecks: "Undeposited checks",
    bank: "Bank",
    cardClearing: "Card clearing",
    attorneysCredit: "Attorneys' credit",
    adjustments: "Adjustments",
  },
};

test("start with credit applied automatically, no fees, and the default account names", async () => {
  expect(await read()).toEqual(begun);
});

test("change one by one, and the others keep their value", async () => {
  expect((await change({ applies_credit_automatically: false })).object).toEqual({
    ...begun,
    appliesCreditAutomatically: false,
  });
  await change({ returned_check_fee: "35" });
  await change({ chargeback_fee: "15" });
  await change({ account_names: { bank: " First Harbor ", other_income: "Fees" } });
  const after = {
    appliesCreditAutomatically: false,
    returnedCheckFee: "35.00",
    chargebackFee: "15.00",
    accountNames: { ...begun.accountNames, bank: "First Harbor", otherIncome: "Fees" },
  };
  expect(
    (await change({ account_names: { bank: "Second Harbor" } })).object.accountNames.bank,
  ).toBe("Second Harbor");
  await change({ account_names: { bank: "First Harbor" } });
  expect(await read()).toEqual(after);
  expect((await change({ returned_check_fee: 0 })).object.returnedCheckFee).toBe("0.00");
});

test.each([
  [{}, ""],
  [{ account_names: {} }, ""],
  [{ applies_credit_automatically: "yes" }, "applies_credit_automatically"],
  [{ returned_check_fee: "-1" }, "returned_check_fee"],
  [{ returned_check_fee: "1000000.01" }, "returned_check_fee"],
  [{ returned_check_fee: "" }, "returned_check_fee"],
  [{ chargeback_fee: "-1" }, "chargeback_fee"],
  [{ account_names: { bank: "" } }, "account_names.bank"],
  [{ account_names: { bank: "two\nlines" } }, "account_names.bank"],
  [{ account_names: { bank: "x".repeat(201) } }, "account_names.bank"],
  [{ account_names: { vault: "Mine" } }, "account_names.vault"],
  [{ account_names: [] }, "account_names"],
  [{ fee: 1 }, "fee"],
])("%j is refused", async (body, field) => {
  const reply = await change(body);
  expect([reply.status, reply.errors.map(({ path }) => path)]).toEqual([422, [field]]);
  expect(await read()).toEqual(begun);
});

test("are audited with the changed fields only", async () => {
  await change({ returned_check_fee: "35", account_names: { bank: "First Harbor" } });
  const [entry] = await app.db
    .selectFrom("auditEntries")
    .select(["action", "before", "after"])
    .where("networkId", "=", network.id)
    .execute();
  expect(entry).toEqual({
    action: "changed money settings",
    before: { returnedCheckFee: "0.00", bank: "Bank" },
    after: { returnedCheckFee: "35.00", bank: "First Harbor" },
  });
});
