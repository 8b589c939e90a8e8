import { expect } from "vitest";
import { makeDebit } from "#tests/support/records/dues.ts";
import { makeMatter } from "#tests/support/records/matters.ts";
import { adjustDebit } from "#dues/ledger/contract.ts";
import { commitChange } from "#tests/support/cable.ts";
import { admin, app, attorney, lawyer, network } from "#tests/support/app-test.ts";
import { expectNoBarriers, openPage, page, watched } from "#tests/support/page-test.ts";
import { attorneyPageTest, oneLine, owing } from "#tests/support/screens/attorney-page.ts";
import { confirmChecks, payByCheck } from "#payments/contract.ts";

/* Further cases of an attorney's page and the dashboard; src/payments tests which payments are accepted. */

const test = attorneyPageTest();

test("closing the payment form keeps what was typed, and there is nothing to open when nothing can be paid", async () => {
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
  // A charge made while the page is open can be paid from there.
  await makeDebit(app.db, network, attorney, { amountCents: 3_000 });
  await commitChange(app.db, network.id, attorney.id);
  await page.getByRole("link", { name: /^Pay \$/ }).click();
  await page.getByRole("dialog", { name: /^You are paying: / }).waitFor();
});

test("a check on three debits is one row that expands, with one receipt", async () => {
  const [, second = 0, third = 0] = await owing();
  const first = await makeDebit(app.db, network, attorney, { dueOn: "2026-07-31" });
  const body = { payment_hash: { [first]: "50", [second]: "25", [third]: "100.50" } };
  const paid = await admin.call(payByCheck, { body: { ...body, check_number: "1042" } });
  const shares = paid.checkPayments.filter(({ checkNumber }) => checkNumber === "1042");
  const statuses = Object.fromEntries(shares.map(({ id }) => [id, "approved" as const]));
  await admin.call(confirmChecks, { body: { statuses } });
  await openPage({ visitor: admin });
  await page.goto(`/admin/attorneys/${attorney.id}`);
  const payments = page.getByRole("table", { name: "Payments" });
  await expect
    .poll(async () => (await payments.locator("tbody tr").allInnerTexts()).map(oneLine))
    .toEqual([
      expect.stringMatching(/^Panel dues and 2 more Check 1042 \S+ Approved \$175\.50 Receipt/),
      expect.stringMatching(
        /^Panel dues Check 1041 \S+ Pending \$50\.00 Details of Panel dues, number \d+$/,
      ),
    ]);
  await payments.getByText("Panel dues and 2 more", { exact: true }).click();
  await expect
    .poll(async () => (await payments.getByRole("listitem").allInnerTexts()).map(oneLine))
    .toEqual([
      "Panel dues Due 07/31/2026 $50.00",
      "Panel dues Due 09/30/2026 $25.00",
      "Website listing Due 10/31/2026 $100.50",
    ]);
  await expectNoBarriers();
  await payments.getByRole("link", { name: /^Receipt of Panel dues and 2 more/ }).click();
  await page.getByRole("heading", { name: /^Receipt \d+$/ }).waitFor();
  expect(watched.alerts).toEqual([]);
});

test("what was typed under Add a subscription stays while another tab is open, and leaving the page asks first", async () => {
  await owing();
  await makeMatter(app.db, network, { attorney });
  await openPage({ visitor: admin });
  await page.goto(`/admin/attorneys/${attorney.id}?view=details`);
  await page.getByRole("region", { name: "Contact details" }).waitFor();
  expect(await page.getByLabel("Vacation until:").count()).toBe(0); // nobody has opened it yet

  await page.getByRole("tab", { name: "Money" }).click();
  const adding = page.getByRole("form", { name: "Add a subscription" });
  await adding.getByLabel("Note").fill("Second office");
  await page.getByRole("tab", { name: "Referrals" }).click();
  await page.getByRole("tabpanel", { name: "Referrals" }).waitFor();
  await expect.poll(() => page.getByRole("tabpanel").count()).toBe(1);
  expect(await adding.count()).toBe(0);
  // Its rows replace the loading message, and may take the focus with them.
  await page.getByRole("table", { name: "Referrals" }).getByRole("row").nth(1).waitFor();
  await page.getByRole("tab", { name: "Referrals" }).focus();
  await page.keyboard.press("Tab");
  expect(await focusedPanel()).toBe("Referrals");
  await expectNoBarriers();
  await page.goBack();
  await expect.poll(() => adding.getByLabel("Note").inputValue()).toBe("Second office");

  await page.goForward();
  await page.getByRole("tabpanel", { name: "Referrals" }).waitFor();
  await page.getByRole("link", { name: "Settings", exact: true }).click();
  const question = page.getByRole("dialog", { name: "Discard what you entered?" });
  await question.getByRole("button", { name: "Discard" }).click();
  await page.getByRole("heading", { level: 1, name: "Settings" }).waitFor();
  expect(watched.alerts).toEqual([]);
});

test("going back to another tab closes this tab's dialog", async () => {
  await owing();
  await openPage({ visitor: admin });
  await page.goto(`/admin/attorneys/${attorney.id}?view=details`);
  await page.getByRole("tab", { name: "Money" }).click();
  await page.getByRole("button", { name: "Charge", exact: true }).click();
  await page.getByRole("dialog").waitFor();
  await page.goBack();
  await page.getByRole("region", { name: "Contact details" }).waitFor();
  await page.getByRole("tab", { name: "Money" }).click(); // an open dialog would block this
  await page.getByRole("table", { name: "Outstanding Debits" }).waitFor();
  expect(await page.getByRole("dialog").count()).toBe(0);
});

/** The tab whose panel has focus. */
const focusedPanel = () =>
  page.evaluate(() => {
    const panel = document.activeElement?.closest("[role=tabpanel]");
    return document.getElementById(panel?.getAttribute("aria-labelledby") ?? "")?.textContent;
  });
