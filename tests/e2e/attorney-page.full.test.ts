import { beforeEach, expect } from "vitest";
import { makeDebit } from "#features/demo/records/dues.ts";
import { adjustDebit } from "#features/ledger/contract.ts";
import { admin, app, attorney, lawyer, network } from "#tests/support/app-test.ts";
import { takesCards } from "#tests/support/card-network.ts";
import { openPage, page, pageTest } from "#tests/support/page-test.ts";

/* More of an attorney's page and dashboard than their journeys. */

const test = pageTest({
  clock: "2026-11-30T17:00:00Z",
  takesCards: true,
  network: {},
  attorney: { firstName: "Ada", lastName: "Byron" },
  lawyer: true,
});

beforeEach(async () => {
  app.setClock("2026-11-30T17:00:00Z");
  await takesCards(app, network, "anet");
});

test("closing the payment leaves what was typed, and there is nothing to open where nothing can be paid", async () => {
  const debit = await makeDebit(app.db, network, attorney);
  await openPage({ visitor: lawyer });
  await page.goto("/dashboard");
  const field = page.getByLabel("Payment for Panel dues");
  await field.fill("12.50");
  const pay = page.getByRole("link", { name: "Pay $50.00" });
  await pay.click();
  await page.getByRole("dialog", { name: "You are paying: $50.00" }).waitFor();
  await page.keyboard.press("Escape");
  await expect.poll(() => pay.evaluate((link) => link === document.activeElement)).toBe(true);
  expect(await field.inputValue()).toBe("12.50");
  await page.getByText("Total payment$12.50").waitFor();
  await admin.call(adjustDebit, { body: { debit_id: debit, amount: "50" } });
  await page.goto("/dashboard?pay=all");
  await page.getByText("You owe nothing").waitFor();
  expect(await page.getByRole("dialog").count()).toBe(0);
});
