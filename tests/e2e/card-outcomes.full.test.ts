import { expect, test } from "vitest";
import { checkApprovedSales } from "#features/cards/reconcile/failed-sales.ts";
import { rowsOf } from "#tests/support/card-app.ts";
import { tillOf } from "#tests/support/card-network.ts";
import { adminPage, aDialog, cards, pay, useCardPayers } from "#tests/support/card-payers.ts";
import { barriersOf } from "#tests/support/watched-page.ts";

/*
 * More of what becomes of card payments, as both sides see it. `npm test` proves it below the screen:
 * reviews and voids in payflow.test.ts, failed sales in failed-sales.test.ts.
 */

useCardPayers();

test("a payment that the processor holds for review is confirmed once the network accepts it there", async () => {
  const { paypal_payflow_pro: payflow } = cards.sandboxes;
  const page = await aDialog("paypal_payflow_pro");
  await pay(page, "paypal_payflow_pro", "4000000000000259");
  await page.getByText("Your payment is being confirmed with the card processor.").waitFor();
  await page.getByText("Balance owed: $80.00, of which $80.00 awaits confirmation").waitFor();
  const exceptions = await adminPage("/admin/card-payments");
  const [held] = payflow.charges();
  await expect
    .poll(() => rowsOf(exceptions, "Held for review at the processor"))
    .toEqual([
      expect.stringMatching(
        new RegExp(
          `^Grace Hopper .* ${held?.id} Accept or decline it in PayPal Manager \\$80\\.00 Ask now$`,
        ),
      ),
    ]);
  await exceptions.getByText("No card payment is being confirmed").waitFor();
  expect(await barriersOf(exceptions)).toEqual([]);
  const ask = exceptions.getByRole("button", { name: "Ask now about payment" });
  await ask.click();
  await exceptions.getByText("is held for review at the processor.").waitFor();
  payflow.decide(held?.id ?? "", "approve");
  await ask.click();
  await exceptions.getByText("was charged and is posted.").waitFor();
  await exceptions.getByText("No charge is held for review").waitFor();
  await page.reload();
  await page.getByText("You owe nothing").waitFor();
});

test("a payment that is voided in the processor's own pages is owed again, and stands among the card payments to look after", async () => {
  const { paypal_payflow_pro: payflow } = cards.sandboxes;
  const page = await aDialog("paypal_payflow_pro");
  // Charged, and not screened by the processor's filters: nobody is told that it was declined.
  await pay(page, "paypal_payflow_pro", "4000000000000127");
  await page.getByText("You paid $80.00 by card.").waitFor();
  const [sale] = payflow.charges();
  expect(payflow.voidElsewhere(sale?.id ?? "")).toBe(true);
  await checkApprovedSales(tillOf(cards.app, cards.sandboxes, { laterMinutes: 25 * 60 }));
  await page.reload();
  await page.getByText("Balance owed: $80.00").waitFor();
  const exceptions = await adminPage("/admin/card-payments");
  await expect
    .poll(() => rowsOf(exceptions, "Payments given back at the processor"))
    .toEqual([expect.stringMatching(new RegExp(`^Grace Hopper .* ${sale?.id} \\$80\\.00$`))]);
  expect(await barriersOf(exceptions)).toEqual([]);
});

test("a payment that fails at settlement is owed again, and stands among the card payments to look after", async () => {
  const page = await aDialog("anet");
  await pay(page, "anet");
  await page.getByText("You paid $80.00 by card.").waitFor();
  const { anet } = cards.sandboxes;
  anet.settle(anet.charges().map(({ id }) => id));
  await page.getByRole("tab", { name: "Paid" }).click();
  const receipt = await page
    .getByRole("link", { name: /^Receipt/ })
    .first()
    .getAttribute("href");
  await checkApprovedSales(tillOf(cards.app, cards.sandboxes, { laterMinutes: 25 * 60 }));
  await page.reload();
  await page.getByText("$80.00").first().waitFor();
  await page.goto(receipt ?? "");
  await page.getByText("Failed", { exact: true }).first().waitFor();
  const exceptions = await adminPage("/admin/card-payments");
  await expect
    .poll(() => rowsOf(exceptions, "Payments that failed at settlement"))
    .toEqual([expect.stringMatching(/^[A-Z].* \d+ \$80\.00$/)]);
  expect(await barriersOf(exceptions)).toEqual([]);
});
