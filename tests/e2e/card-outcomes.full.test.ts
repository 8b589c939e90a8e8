import type { Page } from "playwright-core";
import { expect, test } from "vitest";
import { listCardPayments, payByCard, refundCard } from "#cards/contract.ts";
import { lookUpCapturedPayments } from "#cards/reconcile/captured-payments.ts";
import { reconcileSessions } from "#cards/session/reconcile-sessions.ts";
import { adjustDebit } from "#dues/ledger/contract.ts";
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
  violations,
} from "#tests/support/card-payers.ts";
import { signedIn } from "#tests/support/visitor.ts";
import { barriersOf } from "#tests/support/watched-page.ts";

/*
 * Further outcomes of card payments, as both sides see them. `npm test` tests them below the screen: reviews,
 * voids and account faults in payflow.test.ts, failed sales in captured-payments.test.ts, reopened dialogs in
 * card-concurrency.test.ts, charges with nothing owed in card-sessions.test.ts, lost answers in
 * card-payments.test.ts of src/cards/charge.
 */

useCardPayers();

test("a payment that the processor holds for review is confirmed once the network accepts it there", async () => {
  const { paypal_payflow_pro: payflow } = cards.sandboxes;
  const page = await aDialog("paypal_payflow_pro");
  await pay(page, "paypal_payflow_pro", "4000000000000259");
  await page.getByText("Your payment is being confirmed with the card processor.").waitFor();
  await page.getByText("$80.00 pending").first().waitFor();
  const exceptions = await adminPage("/admin/card-payments");
  const [held] = payflow.charges();
  await expect
    .poll(() => rowsOf(exceptions, "Held for review at the processor"))
    .toEqual([
      expect.stringMatching(
        new RegExp(
          `^Grace Hopper .* ${held?.id} Accept or decline it in PayPal Manager \\$80\\.00 Check now$`,
        ),
      ),
    ]);
  await exceptions.getByText("No card payment is being confirmed").waitFor();
  expect(await barriersOf(exceptions)).toEqual([]);
  const ask = exceptions.getByRole("button", { name: "Check now: payment" });
  await ask.click();
  await exceptions.getByText("is held for review at the processor.").waitFor();
  payflow.decide(held?.id ?? "", "approve");
  await ask.click();
  await exceptions.getByText("was charged and is posted.").waitFor();
  await exceptions.getByText("No charge is held for review").waitFor();
  await page.reload();
  await page.getByText("You owe nothing").waitFor();
});

test("a payment voided at the processor is owed again and listed for attention", async () => {
  const { paypal_payflow_pro: payflow } = cards.sandboxes;
  const page = await aDialog("paypal_payflow_pro");
  // Charged but not screened by the processor's filters: the payer is not told that it was declined.
  await pay(page, "paypal_payflow_pro", "4000000000000127");
  await page.getByText("You paid $80.00 by card.").waitFor();
  const [sale] = payflow.charges();
  expect(payflow.voidAtProcessor(sale?.id ?? "")).toBe(true);
  await lookUpCapturedPayments(
    cardPaymentContext(cards.app, cards.sandboxes, { laterMinutes: 25 * 60 }),
  );
  await page.reload();
  await page.getByText("You owe $80.00").waitFor();
  const exceptions = await adminPage("/admin/card-payments");
  await expect
    .poll(() => rowsOf(exceptions, "Payments refunded at the processor"))
    .toEqual([expect.stringMatching(new RegExp(`^Grace Hopper .* ${sale?.id} \\$80\\.00$`))]);
  expect(await barriersOf(exceptions)).toEqual([]);
});

test("a payment that fails at settlement is owed again and listed for attention", async () => {
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
  await lookUpCapturedPayments(
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

test("reopening the dialog before the answer arrives does not charge again", async () => {
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

test("a processor's script that does not load can be loaded again, and times out after 20 seconds without a call back", async () => {
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

test("an account fault appears in Settings, and the payer is not asked to try another card", async () => {
  const { visitor } = await aPayer("paypal_payflow_pro");
  const card = cardOf("paypal_payflow_pro");
  // As a program written for the published call does: the account refuses its charge.
  const token = await payflowToken({ visitor, card });
  const body = { payment_hash: { [debtor.debits[0] ?? 0]: "50.00" }, token };
  const reply = await visitor.ask(payByCard, { body });
  expect(reply).toMatchObject({ status: 422, message: expect.not.stringMatching(/another card/i) });
  const settings = await adminPage("/admin/settings");
  const warning = settings.getByRole("region", {
    name: "The card processor refused the last payment",
  });
  await warning.getByText("reference transactions are refused until they are allowed").waitFor();
  await settings.getByText("enable secure tokens").waitFor();
  expect(await barriersOf(settings)).toEqual([]);
});

test("a charge with nothing left to pay becomes credit, and a refund removes the credit", async () => {
  const { app, sandboxes } = cards;
  await aPayer("elavon", [5000]);
  // The browser charges the card and is closed; then the administrator waives the debit.
  await tokenFrom("elavon", { visitor: debtor.visitor, sandboxes, amount: "50.00" });
  const admin = await signedIn(app, "admin", debtor.network);
  await admin.call(adjustDebit, { body: { debit_id: debtor.debits[0] ?? 0, amount: "50" } });
  await reconcileSessions(cardPaymentContext(app, sandboxes, { laterMinutes: 20 }));

  const record = await adminPage(`/admin/attorneys/${debtor.attorney.id}`);
  await record.getByText("$50.00 left").waitFor();
  await expect
    .poll(() => rowsOf(record, "Credit"))
    .toEqual([expect.stringMatching(/^Received: .* \$50\.00 Refund to the card$/)]);
  expect(await barriersOf(record)).toEqual([]);
  const [payment] = (await admin.call(listCardPayments)).items;
  const body = { reason: "Nothing was owed any more" };
  await admin.call(refundCard, { params: { id: payment?.id ?? 0 }, body });
  await record.getByText("$0.00 left").waitFor();
  await record.getByText("Reversed: The card payment was refunded").waitFor();
  expect(sandboxes.elavon.totals()).toMatchObject({ netCents: 0 });
});

test("the payer's bank may ask first: a payer it does not recognize can try again in the same dialog, and pays by agreeing", async () => {
  const page = await aDialog("stripe");
  await pay(page, "stripe", "4000000000003220");
  await page.locator('iframe[title="3D Secure authentication"]').waitFor();
  const canBeUsed = await page
    .getByRole("button", { name: "Pay", exact: true })
    .evaluate((button) => (button.focus(), button === document.activeElement));
  expect(canBeUsed).toBe(false); // the page behind, before that
  await challenge(page, "Fail");
  await errorLine(page)
    .getByText("Your bank could not confirm that this payment is yours.")
    .waitFor();
  await pay(page, "stripe", "4000000000003220");
  await challenge(page, "Complete");
  await page.getByText("You paid $80.00 by card.").waitFor();
  await page.getByText("You owe nothing").waitFor();
  expect(cards.sandboxes.stripe.totals()).toMatchObject({ charges: 1, capturedCents: 8000 });
});

test("while it is unknown whether the card was charged, both sides are told", async () => {
  cards.sandboxes.anet.fail({ call: "charge", kind: "hang-after" });
  cards.sandboxes.anet.fail({ call: "lookup", kind: "503-before", times: 3 });
  const page = await aDialog("anet");
  await pay(page, "anet");
  await page.getByText("Your payment is being confirmed with the card processor.").waitFor();
  await page.getByText("$80.00 pending").first().waitFor();
  await expect
    .poll(() => rowsOf(page, "Owed"))
    .toEqual([
      expect.stringMatching(/pending Nothing to pay now$/),
      expect.stringMatching(/pending Nothing to pay now$/),
    ]);
  await page.getByRole("tab", { name: "Paid" }).click();
  await expect
    .poll(() => rowsOf(page, "Paid"))
    .toEqual([
      expect.stringMatching(/\$30\.00 .* Being confirmed$/),
      expect.stringMatching(/\$50\.00 .* Being confirmed$/),
    ]);

  const panel = await adminPage(`/admin/attorneys/${debtor.attorney.id}`);
  const says = "Add check A card payment is being confirmed No pending payments";
  await expect
    .poll(async () => (await rowsOf(panel, "Outstanding Debits")).slice(0, 2))
    .toEqual([expect.stringContaining(says), expect.stringContaining(says)]);
  await panel
    .getByRole("button", { name: /^Add check/ })
    .first()
    .click();
  await panel.getByText("A check can be added only if it fails").waitFor();

  cards.sandboxes.anet.stopFailing();
  const exceptions = await adminPage("/admin/card-payments");
  await expect
    .poll(() => rowsOf(exceptions, "Card payments being confirmed"))
    .toEqual([expect.stringMatching(/^Grace Hopper .* \$80\.00 Check now$/)]);
  expect(await barriersOf(exceptions)).toEqual([]);
  await exceptions.getByRole("button", { name: "Check now: payment" }).click();
  await exceptions.getByText("was charged and is posted.").waitFor();
  await exceptions.getByText("No card payment is being confirmed").waitFor();
  await page.reload();
  await expect
    .poll(() => rowsOf(page, "Paid"))
    .toEqual([expect.stringMatching(/Paid$/), expect.stringMatching(/Paid$/)]);
  expect(cards.sandboxes.anet.totals()).toMatchObject({ charges: 1, capturedCents: 8000 });
});

test("going to and from the card form reloads the page: other pages load no processor script, and say so", async () => {
  const page = await aPage("anet", { mayComplain: true });
  const { origin } = cards.sandboxes;
  const policies = new Map<string, string>();
  page.on("response", async (response) => {
    const policy = response.headers()["content-security-policy"] ?? "";
    if (response.request().isNavigationRequest())
      policies.set(new URL(response.url()).pathname, policy);
  });
  await page.goto("/dashboard");
  await page.getByRole("link", { name: "Referrals" }).click();
  await page.getByRole("heading", { level: 1, name: "Referrals" }).waitFor();
  await expect.poll(() => policies.get("/dashboard/referrals")).not.toBe(undefined);
  expect(policies.get("/dashboard")).toContain(origin);
  expect(policies.get("/dashboard/referrals")).not.toContain(origin);
  const directive = await page.evaluate(async (src) => {
    const blocked = new Promise<string>((resolve) =>
      document.addEventListener("securitypolicyviolation", (event) =>
        resolve(event.effectiveDirective),
      ),
    );
    document.head.append(Object.assign(document.createElement("script"), { src }));
    return await blocked;
  }, `${origin}/anet/v1/Accept.js`);
  expect(directive).toBe("script-src-elem");
  await expect.poll(() => violations(directive, "other")).toBe(1);
  await page.goBack();
  await askToPayAll(page);
  await pay(page, "anet");
  await page.getByText("You paid $80.00 by card.").waitFor();
  await page.getByRole("link", { name: "The receipt" }).click();
  await page.getByRole("heading", { name: /^Receipt \d+$/ }).waitFor();
  await expect.poll(() => [...policies.keys()].at(-1)).toMatch(/^\/receipts\//);
  expect([...policies.values()].at(-1)).not.toContain(origin);
});

async function challenge(page: Page, answer: "Complete" | "Fail"): Promise<void> {
  const frame = page.frameLocator('iframe[title="3D Secure authentication"]');
  await frame.getByRole("button", { name: answer }).click();
}
