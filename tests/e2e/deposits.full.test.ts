import { expect } from "vitest";
import { changeDeposit, makeDeposit, showDeposit } from "#payments/deposits/contract.ts";
import { admin } from "#tests/support/app-test.ts";
import { page, watched } from "#tests/support/page-test.ts";
import { checks, depositsTest } from "#tests/support/screens/deposits.ts";

/* Further cases of deposits; src/payments/deposits tests that deposited checks are refused. */

const test = depositsTest();

const today = () => new Date().toISOString().slice(0, 10);

test("leaving asks before it loses ticks and removed checks", async () => {
  const asking = page.getByRole("dialog", { name: "Discard what you entered?" });
  await page.goto("/admin/deposits/new");
  await page.getByLabel("Bank account").waitFor();
  await page.getByRole("link", { name: "Cancel" }).click();
  await page.getByText("No deposits yet").waitFor();
  const body = { check_ids: checks.slice(0, 2), deposited_on: today(), account_name: "Operating" };
  const { id } = await admin.call(makeDeposit, { body });
  await page.goto("/admin/deposits/new");
  await page.getByLabel("Choose check 503 of Ada Byron").check();
  await page.getByRole("link", { name: "Cancel" }).click();
  await asking.getByRole("button", { name: "Keep editing" }).click();
  await page.getByLabel("Choose check 503 of Ada Byron").uncheck();
  await page.getByRole("link", { name: "Cancel" }).click();
  await page.getByRole("heading", { name: "Deposits" }).waitFor();
  await page.goto(`/admin/deposits/${id}/edit`);
  await page.getByRole("button", { name: "Remove check 501" }).click();
  await page.getByRole("link", { name: "Cancel" }).click();
  await asking.getByRole("button", { name: "Discard" }).click();
  await page.getByRole("heading", { name: "Deposit 1" }).waitFor();
  await page.getByRole("link", { name: "501" }).click();
  await page.getByRole("link", { name: "Deposit 1" }).waitFor();
});

test("a check that a colleague has already deposited is named, and what was typed stays", async () => {
  await page.goto("/admin/deposits/new");
  await page.getByLabel("Choose check 501 of Ada Byron").check();
  await page.getByLabel("Bank account").fill("Operating");
  await admin.send("POST", "/deposits", {
    check_ids: [checks[0]],
    deposited_on: today(),
    account_name: "Trust",
  });
  await page.getByRole("button", { name: /^Make deposit/ }).click();
  await expect.poll(() => watched.alerts).toEqual(["Check 501 is already in deposit 1."]);
  expect(await page.getByLabel("Bank account").inputValue()).toBe("Operating");
});

test("two people change one deposit: both changes are kept, and no check counts twice", async () => {
  const body = { check_ids: checks.slice(0, 1), deposited_on: today(), account_name: "Operating" };
  const { id } = await admin.call(makeDeposit, { body });
  await page.goto(`/admin/deposits/${id}/edit`);
  await page.getByLabel("Choose check 502 of").check();
  await page.getByText("2 checks, ").waitFor();

  const others = { add_check_ids: checks.slice(1, 2), account_name: "Trust" };
  await admin.call(changeDeposit, { params: { id }, body: others });
  await page.getByRole("table", { name: "Checks in this deposit" }).getByText("502").waitFor();
  await page.getByText("2 checks, ").waitFor();
  await page.getByLabel("Choose check 503 of Ada Byron").check();
  await page.getByRole("button", { name: /^Save deposit/ }).click();
  await page.getByRole("heading", { name: "Deposit 1", exact: true }).waitFor();

  const { object } = await admin.ask(showDeposit, { params: { id } });
  expect(object.accountName).toBe("Trust");
  expect(object.checks.map((check) => check.id)).toEqual(checks.slice(0, 3));
  expect(watched.alerts).toEqual([]);
});
