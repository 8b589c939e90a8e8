import type { Page } from "playwright-core";
import { expect, test } from "vitest";
import { askToPayAll, rowsOf } from "#tests/support/card-app.ts";
import { aDebtor } from "#tests/support/card-network.ts";
import {
  aDialog,
  adminPage,
  aPage,
  cards,
  debtor,
  errorLine,
  pay,
  useCardPayers,
  watch,
} from "#tests/support/card-payers.ts";
import { standingOf } from "#tests/support/ledger.ts";
import { barriersOf } from "#tests/support/watched-page.ts";

/* What becomes of card payments that do not simply go through. */

useCardPayers();

test("the payer's bank may ask first: whoever it does not recognise can try again in the same dialog, and pays by agreeing", async () => {
  const page = await aDialog("stripe");
  await pay(page, "stripe", "4000000000003220");
  await page.locator('iframe[title="3D Secure authentication"]').waitFor();
  const canBeUsed = await page
    .getByRole("button", { name: "Pay", exact: true })
    .evaluate((button) => (button.focus(), button === document.activeElement));
  expect(canBeUsed).toBe(false); // the page behind, meanwhile
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

test("while nobody knows whether the card was charged, both sides are told so", async () => {
  cards.sandboxes.anet.fail({ call: "charge", kind: "hang-after" });
  cards.sandboxes.anet.fail({ call: "lookup", kind: "503-before", times: 3 });
  const page = await aDialog("anet");
  await pay(page, "anet");
  await page.getByText("Your payment is being confirmed with the card processor.").waitFor();
  await page.getByText("$80.00 of it awaits confirmation").waitFor();
  await expect
    .poll(() => rowsOf(page, "Owed"))
    .toEqual([
      expect.stringMatching(/awaits confirmation Nothing to pay now$/),
      expect.stringMatching(/awaits confirmation Nothing to pay now$/),
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
  await panel
    .getByText("A card payment is still being confirmed: what is owed can be paid again only if it")
    .waitFor();

  cards.sandboxes.anet.stopFailing();
  const exceptions = await adminPage("/admin/card-payments");
  await expect
    .poll(() => rowsOf(exceptions, "Card payments being confirmed"))
    .toEqual([expect.stringMatching(/^Grace Hopper .* \$80\.00 Ask now$/)]);
  expect(await barriersOf(exceptions)).toEqual([]);
  await exceptions.getByRole("button", { name: "Ask now about payment" }).click();
  await exceptions.getByText("was charged and is posted.").waitFor();
  await exceptions.getByText("No card payment is being confirmed").waitFor();
  await page.reload();
  await expect
    .poll(() => rowsOf(page, "Paid"))
    .toEqual([expect.stringMatching(/Paid$/), expect.stringMatching(/Paid$/)]);
  expect(cards.sandboxes.anet.totals()).toMatchObject({ charges: 1, capturedCents: 8000 });
});

test("the way from and to the card form loads the page anew: another one takes no script of the processor's, and says so", async () => {
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
  await expect.poll(() => violations(directive, "other")).toBe("1");
  await page.goBack();
  await askToPayAll(page);
  await pay(page, "anet");
  await page.getByText("You paid $80.00 by card.").waitFor();
  await page.getByRole("link", { name: "The receipt" }).click();
  await page.getByRole("heading", { name: /^Receipt \d+$/ }).waitFor();
  await expect.poll(() => [...policies.keys()].at(-1)).toMatch(/^\/receipts\//);
  expect([...policies.values()].at(-1)).not.toContain(origin);
});

/** How often browsers have reported a directive, as `/metrics` says it. */
async function violations(directive: string, kind: "card form" | "other") {
  const { body } = await cards.app.server.inject("/metrics");
  const line = `csp_violations_total{directive="${directive}",page="${kind}"} `;
  return body.split(line)[1]?.split("\n")[0];
}

test("a script of LawPay's that was changed on its way is not run", async () => {
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
  await expect.poll(() => violations("script-not-loaded", "card form")).not.toBe("0");
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
  await dialog.getByText("$80.00 goes back to the card (Visa ending in 4242) as a whole").waitFor();
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
  // What was given back can be paid again, the same amounts on the same debits.
  await page.reload();
  await askToPayAll(page);
  await pay(page, "stripe");
  await page.getByText("You paid $80.00 by card.").waitFor();
  expect(cards.sandboxes.stripe.totals()).toMatchObject({ netCents: 8000 });
});

test("a payment has a receipt to print, for its attorney and the administrators alone", async () => {
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

async function challenge(page: Page, answer: "Complete" | "Fail"): Promise<void> {
  const frame = page.frameLocator('iframe[title="3D Secure authentication"]');
  await frame.getByRole("button", { name: answer }).click();
}
