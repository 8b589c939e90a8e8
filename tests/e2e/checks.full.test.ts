import { expect } from "vitest";
import { listAttorneys } from "#panel/contract.ts";
import { recordWholeCheck } from "#payments/checks/contract.ts";
import { makeDebit } from "#tests/support/records/dues.ts";
import { changeMoneySettings } from "#dues/ledger/contract.ts";
import { confirmChecks } from "#payments/contract.ts";
import { listPayments } from "#payments/payments.list.ts";
import { aCredit, standingOf } from "#tests/support/ledger.ts";
import { admin, app, attorney, network } from "#tests/support/app-test.ts";
import { page, watched } from "#tests/support/page-test.ts";
import {
  aCheck,
  checksPageTest,
  debits,
  finch,
  firm,
  isFocused,
} from "#tests/support/screens/checks.ts";
import { barriersOf, overflowOnPhone } from "#tests/support/watched-page.ts";

/* Further cases of recording checks; src/payments/checks tests refusals. */

const test = checksPageTest();

test("typing faster than the debits load stops at the button that will allocate the check", async () => {
  const asked = Promise.withResolvers<void>();
  await page.route(/\/debits\?/, async (route) => {
    await asked.promise;
    await route.continue();
  });
  await page.goto(`/admin/checks/new?firm_id=${firm}`);
  await expect.poll(() => isFocused(page.getByLabel("Number"))).toBe(true);
  for (const typed of ["10443", "100", "11/20/2026"]) {
    await page.keyboard.type(typed);
    await page.keyboard.press("Enter");
  }
  const place = page.getByRole("region", { name: "What the check is for" }).getByRole("button");
  await expect.poll(() => isFocused(place)).toBe(true);
  await page.keyboard.press("Enter"); // no debit to allocate it to yet
  await page.getByText("Still to place: $100.00").waitFor();
  asked.resolve();
  await page.getByRole("button", { name: "Oldest first" }).waitFor();
  await page.keyboard.press("Enter");
  await page.getByText("Still to place: $0.00").waitFor();
});

test("the receipt of a partly denied payment shows only what was received, and its note", async () => {
  const second = await makeDebit(app.db, network, attorney, { amountCents: 10_000 });
  const { shares } = await admin.call(recordWholeCheck, {
    body: {
      check_number: "1022",
      amount: "190",
      received_on: "2026-11-20",
      attorney_id: attorney.id,
      shares: { [debits[1] ?? 0]: "50", [second]: "100" },
      credits: { [attorney.id]: "40" },
    },
  });
  const statuses = Object.fromEntries(
    shares.map(({ shareId, debitId }) => [shareId, debitId === second ? "denied" : "approved"]),
  );
  await admin.call(confirmChecks, { body: { statuses } });
  const query = { attorney_id: String(attorney.id), search: "1022" };
  const { items } = await admin.call(listPayments, { query });
  await page.goto(`/receipts/${items[0]?.id}`);
  const facts = page.locator("dl");
  await facts.getByText("$90.00", { exact: true }).waitFor();
  await facts.getByText("The check was for $190.00. $100.00 was not accepted.").waitFor();
  await page
    .getByRole("row", { name: /^Total/ })
    .getByText("$90.00")
    .waitFor();
  expect(await barriersOf(page)).toEqual([]);
  expect(await overflowOnPhone(page)).toBe(0);
  expect(watched.alerts).toEqual([]);
});

test("a partly decided check says what is left, and the rest can be decided", async () => {
  const body = {
    check_number: "1021",
    amount: "190",
    received_on: "2026-11-20",
    attorney_id: attorney.id,
    shares: { [debits[1] ?? 0]: "50" },
    credits: { [attorney.id]: "40" },
  };
  const second = await makeDebit(app.db, network, attorney, { amountCents: 10_000 });
  const { id, shares } = await admin.call(recordWholeCheck, {
    body: { ...body, shares: { ...body.shares, [second]: "100" } },
  });
  const approved = shares.find(({ debitId }) => debitId === second)?.shareId ?? 0;
  await admin.call(confirmChecks, { body: { statuses: { [approved]: "approved" } } });
  await page.goto(`/admin/checks/${id}`);
  await page.getByRole("button", { name: "Approve the rest ($90.00)" }).waitFor();
  await page.getByRole("button", { name: "Deny" }).click();
  const denying = page.getByRole("dialog", { name: "Deny the rest of 1 check ($50.00)?" });
  await denying
    .getByText(
      "The approved part stays paid, and its $40.00 credit is received. The rest pays nothing: 1 debit, $50.00 in all, can be paid again.",
    )
    .waitFor();
  await denying.getByRole("button", { name: "Deny the rest of 1 check ($50.00)" }).click();
  await page.getByText("The rest of 1 check ($50.00) denied").waitFor();
});

test("a returned check's fee that other credit pays immediately is not shown as owed", async () => {
  const check = await aCheck("10442", 43_500, { approve: true });
  await aCredit(app.db, network, finch.id, 2_500);
  await page.goto(`/admin/checks/${check}`);
  await page.getByRole("button", { name: "Returned by the bank" }).click();
  const returning = page.getByRole("dialog", { name: "Returned by the bank" });
  await returning.getByText("Total owed again: $435.00.").waitFor();
  expect(await returning.getByText("from other credit").count()).toBe(0);
  await returning.getByLabel("Fee in dollars").fill("20");
  await returning.getByText("Other credit pays $20.00 of the new charges immediately.").waitFor();
  await returning.getByText("Total owed again: $435.00.").waitFor();
  await returning.getByLabel("Fee in dollars").fill("35");
  await returning.getByText("Other credit pays $25.00 of the new charges immediately.").waitFor();
  await returning.getByText("Total owed again: $445.00.").waitFor();
  expect(await barriersOf(page)).toEqual([]);
  await returning.getByRole("button", { name: "Return check 10442 ($435.00)" }).click();
  await page.getByText("Check 10442 returned. $445.00 is owed again.").waitFor();
  expect((await admin.call(listAttorneys)).totals.balance).toBe(44_500);
});

test("the dialog for a returned check offers the current fee every time it is opened", async () => {
  const check = await aCheck("10442", 43_500, { approve: true });
  await page.goto(`/admin/checks/${check}`);
  const returning = page.getByRole("dialog", { name: "Returned by the bank" });
  const fee = returning.getByLabel("Fee in dollars");
  for (const usual of ["25.00", "40.00"]) {
    await admin.call(changeMoneySettings, { body: { returned_check_fee: usual } });
    await page.getByRole("button", { name: "Returned by the bank" }).click();
    await fee.waitFor();
    expect(await fee.inputValue()).toBe(usual);
    await page.keyboard.press("Escape");
    await returning.waitFor({ state: "hidden" });
  }
});

test("three checks in a row are recorded without the mouse, and the date stays", async () => {
  await page.goto(`/admin/checks/new?attorney_id=${attorney.id}`);
  for (const number of ["2001", "2002", "2003"]) {
    if (number !== "2001") {
      await page.keyboard.type("quentin");
      await page.getByRole("option", { name: /^Quentin Hale/ }).waitFor();
      await page.keyboard.press("Enter");
    }
    await expect.poll(() => isFocused(page.getByLabel("Number"))).toBe(true);
    await page.keyboard.type(number);
    await page.keyboard.press("Enter");
    await page.keyboard.type("20");
    await page.keyboard.press("Enter");
    if (number === "2001") await page.keyboard.type("11/18/2026");
    await expect.poll(() => page.getByLabel("Received on").inputValue()).toBe("11/18/2026");
    await page.getByRole("button", { name: "Oldest first" }).waitFor();
    await page.keyboard.press("Enter");
    await page.keyboard.press("Enter");
    await page.getByText("Still to place: $0.00").waitFor();
    await page.keyboard.press("Control+Enter");
    await page.getByText(`Check ${number} of $20.00`).waitFor();
  }
  await expect
    .poll(() => page.getByRole("table", { name: "Recorded just now" }).innerText())
    .toMatch(/2003[^]*2002[^]*2001[^]*3 in all[^]*\$60\.00/);
});

test("parts that do not add up are named at the field and at the top; a server refusal keeps what was typed", async () => {
  await admin.call(recordWholeCheck, {
    body: {
      check_number: "77",
      amount: "10",
      received_on: "2026-11-20",
      firm_id: firm,
      shares: { [debits[0] ?? 0]: "10" },
    },
  });
  await page.goto(`/admin/checks/new?firm_id=${firm}`);
  await page.getByText("Pending 1").or(page.getByText("$10.00 pending")).first().waitFor();
  await page.getByRole("button", { name: "Record check" }).click();
  await page.getByRole("link", { name: "Enter a number." }).waitFor();
  await page.getByRole("link", { name: /^Enter the amount in dollars/ }).click();
  await page.keyboard.type("100");
  await page.getByLabel(/^Part for Quentin Hale/).fill("80");
  await page.getByLabel("Number").fill("77");
  await page.keyboard.press("Control+Enter");
  await page.getByRole("link", { name: /^Quentin Hale.*Enter at most \$75\.00/ }).click();
  await page.keyboard.press("ControlOrMeta+A");
  await page.keyboard.type("60");
  await page.keyboard.press("Control+Enter");
  await page
    .getByRole("link", { name: "Place the remaining $40.00 on debits or as credit." })
    .waitFor();
  await page.getByLabel(/^Part for Nora Finch/).fill("35");
  await page.getByLabel("Credit for").selectOption("Nora Finch");
  await page.getByRole("button", { name: "Keep $5.00 as credit for Nora Finch" }).click();
  await page.keyboard.press("Control+Enter");
  await page.getByRole("alert").getByText(/77/).waitFor();
  expect(watched.alerts).toEqual([expect.stringContaining("77")]);
  expect(await page.getByLabel(/^Part for Quentin Hale/).inputValue()).toBe("60");
  expect(await page.getByLabel(/^Credit of Nora Finch/).inputValue()).toBe("5.00");
  await page.getByLabel("Number").fill("78");
  await page.getByLabel("The check is in hand: approve now").check();
  await page.getByRole("button", { name: "Record check" }).click();
  await page
    .getByText("Check 78 of $100.00 from Hale & Finch LLP is recorded and approved.")
    .waitFor();
  await expect
    .poll(() => standingOf(app.db, debits[1] ?? 0))
    .toEqual({ balance: 1500, pending: 0 });
});

test("a check is recorded from its attorney's page", async () => {
  await page.goto(`/admin/attorneys/${attorney.id}`);
  await page.getByRole("link", { name: "Record a check" }).click();
  await page.getByText("Quentin Hale", { exact: true }).first().waitFor();
  await page.getByLabel(/^Part for Quentin Hale/).waitFor();
  await expect.poll(() => page.getByLabel(/^Part for/).count()).toBe(1);
});
