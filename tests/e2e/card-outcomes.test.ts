import { expect, test } from "vitest";
import { askToPayAll, rowsOf } from "#tests/support/card-app.ts";
import { aDebtor } from "#tests/support/card-network.ts";
import {
  aDialog,
  adminPage,
  aPage,
  cards,
  debtor,
  pay,
  useCardPayers,
  violations,
  watch,
} from "#tests/support/card-payers.ts";
import { standingOf } from "#tests/support/ledger.ts";
import { barriersOf } from "#tests/support/watched-page.ts";

/* Outcomes of card payments other than plain success. */

useCardPayers();

test("a LawPay script that was changed in transit is not run", async () => {
  const page = await aPage("lawpay", { expectsFaults: true });
  await page.route("**/fieldGen_1.5.3.js", async (route) => {
    const response = await route.fetch();
    const body = `${await response.text()}\nwindow.wasChanged = true;`;
    await route.fulfill({ response, body });
  });
  await page.goto("/dashboard");
  await askToPayAll(page);
  await page.getByRole("alert").filter({ hasText: "The card form could not be loaded" }).waitFor();
  expect(await page.evaluate(() => ["AffiniPay" in window, "wasChanged" in window])).toEqual([
    false,
    false,
  ]);
  await expect.poll(() => violations("script-not-loaded", "card form")).toBeGreaterThan(0);
});

test("an administrator refunds a card payment with a reason, and its debits are owed again", async () => {
  const page = await aDialog("stripe");
  await pay(page, "stripe");
  await page.getByText("You paid $80.00 by card.").waitFor();
  const record = await adminPage(`/admin/attorneys/${debtor.attorney.id}`);
  await record
    .getByRole("button", { name: /^Refund Panel dues/ })
    .first()
    .click();
  const dialog = record.getByRole("dialog", { name: "Refund card payment" });
  await dialog.getByText("$80.00 goes back to the card (Visa ending in 4242) in full").waitFor();
  await dialog.getByRole("button", { name: "Refund $80.00" }).click();
  await dialog.getByRole("link", { name: "Enter a reason." }).waitFor();
  expect(await barriersOf(record)).toEqual([]);
  await dialog.getByLabel("Reason").fill("Paid twice by mistake");
  await dialog.getByRole("button", { name: "Refund $80.00" }).click();
  await record.getByText("$80.00 went back to the card, and the debits are owed again.").waitFor();
  await record.getByRole("table", { name: "Payments" }).getByText("Refunded").waitFor();
  expect(cards.sandboxes.stripe.totals()).toMatchObject({ refundedCents: 8000, netCents: 0 });
  expect(await standingOf(cards.app.db, debtor.debits[0] ?? 0)).toEqual({
    balance: 5000,
    pending: 0,
  });
  // What was refunded can be paid again, the same amounts on the same debits.
  await page.reload();
  await askToPayAll(page);
  await pay(page, "stripe");
  await page.getByText("You paid $80.00 by card.").waitFor();
  expect(cards.sandboxes.stripe.totals()).toMatchObject({ netCents: 8000 });
});

test("a payment has a receipt to print, only for its attorney and the administrators", async () => {
  const page = await aDialog("anet");
  await pay(page, "anet");
  await page.getByText("You paid $80.00 by card.").waitFor();
  await page.getByRole("tab", { name: "Paid" }).click();
  await page.getByRole("link", { name: "Receipt of Panel dues" }).first().click();
  await page.getByRole("heading", { name: /^Receipt \d+$/ }).waitFor();
  await page.getByText("Visa ending in 1111").waitFor();
  const shares = await rowsOf(page, "What was paid");
  expect(shares).toEqual(["Panel dues 01/31/2026 $50.00", "Panel dues 01/31/2026 $30.00"]);
  await expect
    .poll(() => page.getByRole("rowgroup").last().innerText())
    .toMatch(/Total\s+\$80\.00/);
  expect(await barriersOf(page)).toEqual([]);
  const { pathname } = new URL(page.url());

  await page.emulateMedia({ media: "print" });
  await expect.poll(() => page.getByRole("button", { name: "Print" }).isVisible()).toBe(false);
  await expect.poll(() => page.getByText("Visa ending in 1111").isVisible()).toBe(true);

  const admins = await adminPage(pathname);
  await admins.getByText("Visa ending in 1111").waitFor();
  const stranger = await aDebtor(cards.app, "anet");
  const theirs = await watch(stranger.visitor);
  await theirs.page.goto(pathname);
  await theirs.page.getByRole("heading", { name: "Page not found" }).waitFor();
});
