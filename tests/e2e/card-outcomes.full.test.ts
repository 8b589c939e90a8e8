import { expect, test } from "vitest";
import { payByCard } from "#features/cards/contract.ts";
import { checkApprovedSales } from "#features/cards/reconcile/failed-sales.ts";
import { reconcileSessions } from "#features/cards/session/reconcile-sessions.ts";
import { adjustDebit } from "#features/ledger/contract.ts";
import { askToPayAll, rowsOf } from "#tests/support/card-app.ts";
import { cardOf, payflowToken, tokenFrom } from "#tests/support/card-browser.ts";
import { cardPaymentContext } from "#tests/support/card-network.ts";
import {
  adminPage,
  aDialog,
  aPage,
  aPayer,
  cards,
  debtor,
  errorLine,
  open,
  pay,
  useCardPayers,
} from "#tests/support/card-payers.ts";
import { signedIn } from "#tests/support/visitor.ts";
import { barriersOf } from "#tests/support/watched-page.ts";

/*
 * More of what becomes of card payments, as both sides see it. `npm test` proves it below the screen:
 * reviews, voids and faults of an account in payflow.test.ts, failed sales in failed-sales.test.ts, dialogs opened
 * again in card-concurrency.test.ts, charges for which nothing is owed in card-sessions.test.ts.
 */

useCardPayers();

test("a payment that the processor holds for review is confirmed once the network accepts it there", async () => {
  const { paypal_payflow_pro: payflow } = cards.sandboxes;
  const page = await aDialog("paypal_payflow_pro");
  await pay(page, "paypal_payflow_pro", "4000000000000259");
  await page.getByText("Your payment is being confirmed with the card processor.").waitFor();
  await page.getByText("$80.00 of it awaits confirmation").waitFor();
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
  await checkApprovedSales(
    cardPaymentContext(cards.app, cards.sandboxes, { laterMinutes: 25 * 60 }),
  );
  await page.reload();
  await page.getByText("You owe $80.00").waitFor();
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
  await checkApprovedSales(
    cardPaymentContext(cards.app, cards.sandboxes, { laterMinutes: 25 * 60 }),
  );
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

test("a dialog that is opened again before the answer has come charges nothing more", async () => {
  const page = await aPage("anet");
  await page.routeWebSocket(/cable/, (socket) => socket.close()); // nobody tells the page either
  const { promise: released, resolve: release } = Promise.withResolvers<void>();
  await page.route(
    "**/lrs_subscription_online_payments/",
    async (route) => {
      const response = await route.fetch();
      await released;
      await route.fulfill({ response });
    },
    { times: 1 },
  );
  await page.goto("/dashboard");
  await askToPayAll(page);
  await pay(page, "anet");
  await expect.poll(() => cards.sandboxes.anet.charges().length).toBe(1);
  await page.keyboard.press("Escape");
  await page.getByRole("button", { name: "Pay", exact: true }).click();
  await pay(page, "anet");
  await page.getByText("You paid $80.00 by card.").waitFor();
  release();
  await page.getByText("You owe nothing").waitFor();
  expect(cards.sandboxes.anet.totals()).toMatchObject({ charges: 1, capturedCents: 8000 });
});

test("a processor's script can be asked for again when it cannot be had, and is waited for 20 seconds when it never calls back", async () => {
  cards.sandboxes.anet.fail({ call: "script", kind: "503-before" });
  cards.sandboxes.anet.fail({ call: "tokenise", kind: "hang-before" });
  const page = await aPage("anet", { expectsFaults: true });
  await page.clock.install();
  await page.goto("/dashboard");
  await askToPayAll(page);
  const problem = page.getByRole("alert").filter({ hasText: "The card form could not be loaded" });
  await problem.getByText("The card processor could not be reached.").waitFor();
  await problem.getByRole("button", { name: "Try again" }).click();
  await pay(page, "anet");
  await expect
    .poll(() => cards.sandboxes.anet.calls().map(({ call }) => call))
    .toContain("tokenise");
  await page.clock.fastForward(19_000);
  await expect.poll(() => errorLine(page).innerText()).toBe("");
  await page.clock.fastForward(1_500);
  await errorLine(page).getByText("Authorize.Net has not answered. Nothing was charged").waitFor();
  await pay(page, "anet");
  await page.getByText("You paid $80.00 by card.").waitFor();
  expect(open[0]?.alerts).toEqual([expect.stringContaining("could not be reached")]);
});

test("a fault of the network's account stands in Settings, and its payer is not told to try another card", async () => {
  const { visitor } = await aPayer("paypal_payflow_pro");
  const card = cardOf("paypal_payflow_pro");
  // As a program does that was written against the published call: the account refuses its charge.
  const token = await payflowToken({ visitor, card });
  const body = { payment_hash: { [debtor.debits[0] ?? 0]: "50.00" }, token };
  const reply = await visitor.ask(payByCard, { body });
  expect(reply).toMatchObject({ status: 422, message: expect.not.stringMatching(/another card/i) });
  const settings = await adminPage("/admin/settings");
  const warning = settings.getByRole("region", {
    name: "The card processor refused the last payment",
  });
  await warning.getByText("reference transactions are refused until they are allowed").waitFor();
  await settings.getByText("must be set up with secure tokens enabled").waitFor();
  expect(await barriersOf(settings)).toEqual([]);
});

test("a charge for which nothing was owed any more is listed, and given back", async () => {
  const { app, sandboxes } = cards;
  await aPayer("elavon", [5000]);
  // The browser charges the card and is closed; then the administrator waives the debit.
  await tokenFrom("elavon", { visitor: debtor.visitor, sandboxes, amount: "50.00" });
  const admin = await signedIn(app, "admin", debtor.network);
  await admin.call(adjustDebit, { body: { debit_id: debtor.debits[0] ?? 0, amount: "50" } });
  await reconcileSessions(cardPaymentContext(app, sandboxes, { laterMinutes: 20 }));

  const exceptions = await adminPage("/admin/card-payments");
  await expect
    .poll(() => rowsOf(exceptions, "Unapplied charges"))
    .toEqual([expect.stringMatching(/^Grace Hopper .* Unapplied \$50\.00 \$50\.00 Refund$/)]);
  await exceptions.getByRole("button", { name: /^Refund the charge/ }).click();
  const dialog = exceptions.getByRole("dialog", { name: "Refund charge" });
  await dialog.getByText("$50.00 goes back to the card of Grace Hopper").waitFor();
  await dialog.getByLabel("Reason").fill("Nothing was owed any more");
  expect(await barriersOf(exceptions)).toEqual([]);
  await dialog.getByRole("button", { name: "Refund $50.00" }).click();
  await exceptions.getByText("$50.00 went back to the card.").waitFor();
  await expect
    .poll(() => rowsOf(exceptions, "Unapplied charges"))
    .toEqual([expect.stringMatching(/Refunded \$50\.00 \$50\.00$/)]);
  await exceptions.getByLabel("Show").selectOption("Unapplied, not refunded");
  await exceptions.getByText("No unapplied charges").waitFor();
  await expect.poll(() => exceptions.getByRole("heading", { level: 2 }).count()).toBe(1);
  expect(sandboxes.elavon.totals()).toMatchObject({ netCents: 0 });
});
