import { expect, test } from "vitest";
import { adjustDebit, changeMoneySettings } from "#dues/ledger/contract.ts";
import { rowsOf } from "#tests/support/card-app.ts";
import {
  aDialog,
  adminPage,
  cards,
  debtor,
  pay,
  useCardPayers,
} from "#tests/support/card-payers.ts";
import { signedIn } from "#tests/support/visitor.ts";
import { barriersOf } from "#tests/support/watched-page.ts";

/* The page of a card payment: what happened with it, and what an administrator can do. */

useCardPayers();

test("a partial refund, a chargeback recorded by hand and won, and a refund of what became credit", async () => {
  const paying = await aDialog("stripe");
  await pay(paying, "stripe");
  await paying.getByText("You paid $80.00 by card.").waitFor();
  const admin = await signedIn(cards.app, "admin", debtor.network);
  await admin.call(changeMoneySettings, { body: { chargeback_fee: "15.00" } });
  const page = await adminPage("/admin/payments");
  const dialog = page.getByRole("dialog");
  const happened = async () =>
    (await rowsOf(page, "History")).map((row) => row.replace(/ \d\d\/\d\d\/\d{4}/, ""));
  await page.getByRole("link", { name: "Visa ending in 4242" }).click();
  await page.getByRole("heading", { name: "Card payment of $80.00" }).waitFor();
  await expect.poll(happened).toEqual(["Charged At Stripe $80.00 $80.00"]);

  await page.getByRole("button", { name: "Refund", exact: true }).click();
  await dialog.getByText("$80.00 goes back to the card (Visa ending in 4242) in full").waitFor();
  await dialog.getByLabel("Amount in dollars").fill("35");
  await dialog
    .getByText("owes again: Panel dues, due 01/31/2026, $30.00; Panel dues, due 01/31/2026, $5.00.")
    .waitFor();
  expect(await barriersOf(page)).toEqual([]);
  await dialog.getByLabel("Reason").fill("Charged too much");
  await page.keyboard.press("Tab");
  await page.keyboard.press("Enter");
  await page.getByText("$35.00 went back to the card, and the debits are owed again.").waitFor();
  await expect
    .poll(happened)
    .toEqual(["Charged At Stripe $80.00 $80.00", "Refunded Charged too much Here -$35.00 $45.00"]);
  expect(cards.sandboxes.stripe.totals()).toMatchObject({ refundedCents: 3500, netCents: 4500 });
  await page.getByText("Partly refunded", { exact: true }).waitFor();

  const record = page.getByRole("button", { name: "Record what happened at the processor" });
  await record.click();
  await dialog.getByLabel("Chargeback").check();
  expect(await dialog.getByLabel("Fee in dollars").inputValue()).toBe("15.00"); // the network's fee
  await dialog
    .getByText("owes again: Panel dues, due 01/31/2026, $45.00. A fee of $15.00 is charged.")
    .waitFor();
  expect(await barriersOf(page)).toEqual([]);
  await dialog.getByRole("button", { name: "Record the chargeback" }).click();
  await page.getByText("$45.00 is recorded as charged back.").waitFor();
  await page.getByText("The payer's bank took back $45.00.").waitFor();
  expect(await barriersOf(page)).toEqual([]);
  await page.getByRole("button", { name: "Mark as seen: the chargeback" }).click();
  await page.getByText("is marked as seen.").waitFor();
  await expect.poll(() => page.getByText("Chargeback to look at").count()).toBe(0);

  // Then $15.00 of what it had paid is no longer owed.
  for (const [index, amount] of ["50.00", "15.00"].entries())
    await admin.call(adjustDebit, {
      body: {
        debit_id: debtor.debits[index],
        direction: "decrease",
        amount,
        adjustment_note: "Too high",
      },
    });
  await record.click();
  await dialog.getByText("$45.00 pays the same debits again").waitFor();
  await dialog.getByRole("button", { name: "Record the chargeback reversal" }).click();
  await page.getByText("$45.00 is recorded as returned by the payer's bank.").waitFor();
  await page.getByRole("link", { name: "Grace Hopper" }).click();
  await expect
    .poll(() => rowsOf(page, "Credit"))
    .toEqual([
      expect.stringMatching(/^Received: Card payment Card .* \$30\.00 Refund to the card$/),
    ]);
  await page.getByRole("link", { name: "Refund to the card" }).click();
  await dialog.getByText(/\$30\.00 is subtracted from Grace Hopper .*'s credit\./).waitFor();
  await dialog.getByLabel("Reason").fill("Not owed any more");
  await dialog.getByRole("button", { name: "Refund $30.00" }).click();
  await page.getByText("$30.00 went back to the card.").waitFor();
  await expect
    .poll(async () => (await happened()).at(-1))
    .toBe("Refunded Not owed any more Here -$30.00 $15.00");
  expect(cards.sandboxes.stripe.totals()).toMatchObject({ netCents: 1500 });
});

test("a payment that was never charged says so, and another network's payment is not found", async () => {
  const paying = await aDialog("anet");
  cards.sandboxes.anet.fail({ call: "charge", kind: "hang-before" });
  await pay(paying, "anet");
  await paying.getByText("Your payment is being confirmed with the card processor.").waitFor();
  const page = await adminPage("/admin/card-payments?show=confirming");
  await page.getByRole("row").getByRole("link").first().click();
  await page.getByRole("heading", { name: "Card payment of $80.00" }).waitFor();
  await page
    .getByText("The card processor has not said yet whether the card was charged.")
    .waitFor();
  expect(await page.getByRole("button", { name: "Refund", exact: true }).count()).toBe(0);
  await page.getByRole("button", { name: "Check now" }).click();
  await page.getByText(/The payment of \$80\.00 by Grace Hopper/).waitFor();
  expect(await barriersOf(page)).toEqual([]);
  await page.goto("/admin/card-payments/999999");
  await page.getByRole("heading", { name: "Page not found" }).waitFor();
});
