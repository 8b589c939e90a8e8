import { expect } from "vitest";
import { adjustDebit } from "#dues/ledger/contract.ts";
import { confirmChecks, payByCheck } from "#payments/contract.ts";
import { admin, app, attorney, lawyer, network } from "#tests/support/app-test.ts";
import { openPage, page, watched } from "#tests/support/page-test.ts";
import { withoutAnswers } from "#tests/support/page-answers.ts";
import { makeAccount } from "#main/demo/records/attorneys.ts";
import { givePassword, testPassword } from "#tests/support/passwords.ts";
import { makeDebit } from "#tests/support/records/dues.ts";
import { standingOf } from "#tests/support/ledger.ts";
import { aVisitor } from "#tests/support/visitor.ts";
import { overflowOnPhone } from "#tests/support/watched-page.ts";
import {
  amountsTyped,
  cardFields,
  lawyerDashboardTest,
  openDashboard,
  openTab,
  pay,
  payment,
} from "#tests/support/screens/lawyer-dashboard.ts";

const test = lawyerDashboardTest();

test("three debits are paid with one check on a phone, and each shows its status", async () => {
  const dues = await makeDebit(app.db, network, attorney, {
    amountCents: 5000,
    dueOn: "2026-08-31",
  });
  const listing = await makeDebit(app.db, network, attorney, {
    planName: "Website listing",
    amountCents: 12_550,
    dueOn: "2026-09-30",
  });
  const office = await makeDebit(app.db, network, attorney, {
    amountCents: 5000,
    dueOn: "2026-10-31",
    note: "Second office",
  });
  const account = await makeAccount(app.db, network, attorney);
  await givePassword(app.db, account.userId);

  await openPage({ visitor: aVisitor(app), isPhone: true });
  await page.goto("/");
  await page.getByLabel("Email address").fill(attorney.email);
  await page.getByLabel("Password").fill(testPassword);
  await page.getByRole("button", { name: "Sign in" }).tap();
  await page.getByText("You owe $225.50").waitFor();
  await expect
    .poll(() => rowsOf("Owed"))
    .toEqual([
      expect.stringMatching(/^Panel dues Due 08\/31\/2026 .*\$50\.00/),
      expect.stringMatching(/^Website listing Due 09\/30\/2026 .*\$125\.50/),
      expect.stringMatching(/^Panel dues Due 10\/31\/2026 Second office .*\$50\.00/),
    ]);
  await expect.poll(amountsTyped).toEqual(["0", "0", "0"]);

  await page.getByRole("button", { name: "Full balance of Panel dues, due 08/31/2026" }).tap();
  await payment("Website listing").fill("$1 00.25");
  await payment("Panel dues, due 10/31/2026 (Second office)").fill("20");
  await expectTotal("$170.25");
  expect(await overflowOnPhone(page)).toBe(0);
  await pay();
  const paying = page.getByRole("dialog", { name: "You are paying: $170.25" });
  await paying.getByLabel("Pay by check").check();
  expect(await overflowOnPhone(page)).toBe(0);
  await paying.getByLabel("Check number").fill(" 1042 ");
  await paying.getByRole("button", { name: "Pay $170.25 by check" }).tap();
  await page.getByText("Check 1042 for $170.25 is recorded.").waitFor();
  await page.getByText("$170.25 pending").waitFor();
  await expectTotal("$0.00");
  await expect
    .poll(() => rowsOf("Owed"))
    .toEqual([
      expect.stringMatching(/\$50\.00 \$50\.00 pending Nothing to pay now$/),
      expect.stringMatching(/\$125\.50 \$100\.25 pending/),
      expect.stringMatching(/\$50\.00 \$20\.00 pending/),
    ]);

  await openTab("Paid");
  await expect
    .poll(() => rowsOf("Paid"))
    .toEqual([
      expect.stringMatching(
        /^Panel dues Check 1042 Details of Panel dues, number \d+ Second office \$20\.00 .* Pending$/,
      ),
      expect.stringMatching(
        /^Website listing Check 1042 Details of Website listing, number \d+ Not provided \$100\.25 .* Pending$/,
      ),
      expect.stringMatching(
        /^Panel dues Check 1042 Details of Panel dues, number \d+ Not provided \$50\.00 .* Pending$/,
      ),
    ]);
  expect(await overflowOnPhone(page)).toBe(0);
  await decide({ [dues]: "approved", [listing]: "denied" });
  await page.reload();
  await page.getByText("Approved").waitFor();
  await expect
    .poll(async () => (await rowsOf("Paid")).map((row) => row.split(" ").at(-1)))
    .toEqual(["Pending", "Denied", "Approved"]);
  await openTab("Owed");
  await expect
    .poll(() => rowsOf("Owed"))
    .toEqual([
      expect.stringMatching(/^Website listing Due 09\/30\/2026 .*\$125\.50/),
      expect.stringMatching(/^Panel dues .*\$50\.00 \$20\.00 pending/),
    ]);
  expect(await standingOf(app.db, dues)).toEqual({ balance: 0, pending: 0 });
  expect(await standingOf(app.db, listing)).toEqual({ balance: 12_550, pending: 0 });
  expect(await standingOf(app.db, office)).toEqual({ balance: 5000, pending: 2000 });
  expect(watched.alerts).toEqual([]);
});

test("pressing Pay with nothing entered offers to pay everything", async () => {
  await makeDebit(app.db, network, attorney, { planName: "Panel dues", amountCents: 5000 });
  const listing = await makeDebit(app.db, network, attorney, {
    planName: "Website listing",
    amountCents: 12_550,
  });
  const body = { payment_hash: { [listing]: "20" }, check_number: "1041" };
  await admin.call(payByCheck, { body });
  await openDashboard();
  await pay();
  const offer = page.getByRole("alert");
  await offer.getByText("You have not entered an amount.").waitFor();
  await expect.poll(() => offer.evaluate((place) => place === document.activeElement)).toBe(true);
  await expect.poll(() => page.getByText("There is a problem").count()).toBe(0);
  await payment("Panel dues").fill("10");
  await offer.waitFor({ state: "hidden" });
  await payment("Panel dues").fill("0");
  await pay();
  await page.keyboard.press("Tab");
  await page.keyboard.press("Enter"); // on "Pay everything"
  await page.getByRole("dialog", { name: "You are paying: $155.50" }).waitFor();
  await page.keyboard.press("Escape");
  await expect.poll(amountsTyped).toEqual(["50.00", "105.50"]);
  await offer.waitFor({ state: "hidden" });
  await expectTotal("$155.50");
  await page.getByRole("button", { name: "Clear all amounts" }).click();
  await pay();
  await offer.getByRole("button", { name: "Pay everything ($155.50)" }).click();
  const paying = page.getByRole("dialog", { name: "You are paying: $155.50" });
  await paying.getByLabel("Pay by check").check();
  await paying.getByLabel("Check number").fill("1042");
  await page.keyboard.press("Enter");
  await page.getByText("Check 1042 for $155.50 is recorded.").waitFor();

  await pay();
  await offer.getByText("Nothing can be paid now: everything you owe is pending.").waitFor();
  await expect.poll(() => offer.getByRole("button").count()).toBe(0);
  await expect
    .poll(() => page.getByRole("button", { name: /all amounts|in full$/ }).count())
    .toBe(0);
  expect(watched.alerts).toEqual([]);
});

test("the total counts text that is not an amount as zero, and paying says what to enter", async () => {
  await makeDebit(app.db, network, attorney, { planName: "Panel dues", amountCents: 5000 });
  await makeDebit(app.db, network, attorney, { planName: "Website listing", amountCents: 12_550 });
  await openDashboard();
  await payment("Panel dues").fill("fifty");
  await payment("Website listing").fill("125.51");
  await expectTotal("$125.51");
  await pay();
  const summary = page.getByRole("alert");
  await expect
    .poll(() => summary.getByRole("link").allInnerTexts())
    .toEqual([
      expect.stringMatching(/^Panel dues.*: Enter an amount such as 125\.50\.$/),
      expect.stringMatching(/^Website listing.*: Enter at most \$125\.50\.$/),
    ]);
  await expect.poll(() => page.getByRole("dialog").count()).toBe(0);
  await expect.poll(amountsTyped).toEqual(["fifty", "125.51"]);

  await page.getByRole("button", { name: "Pay all in full" }).click();
  await expectTotal("$175.50");
  await pay();
  await page.getByRole("dialog", { name: "You are paying: $175.50" }).waitFor();
  expect(watched.alerts).toEqual([]);
});

test("amounts are cleared when balances have changed, and only then", async () => {
  const debit = await makeDebit(app.db, network, attorney, { amountCents: 5000 });
  await openDashboard();
  await payment("Panel dues").fill("50");
  await openTab("Your subscriptions");
  await returnToTab();
  await openTab("Owed");
  await expect.poll(amountsTyped).toEqual(["50"]);
  await admin.call(adjustDebit, { body: { debit_id: debit, amount: "10" } });
  await returnToTab();
  await page.getByText("You owe $40.00").waitFor();
  await expect.poll(amountsTyped).toEqual(["0"]);
  await expectTotal("$0.00");
});

test("a card is checked as it is typed; only the first invalid field shows its message", async () => {
  await makeDebit(app.db, network, attorney, { amountCents: 5000 });
  await openDashboard();
  await payment("Panel dues").fill("50");
  await pay();
  const paying = page.getByRole("dialog", { name: "You are paying: $50.00" });
  await expect.poll(() => paying.getByLabel("Pay by card").isChecked()).toBe(true);
  const [number, code, expiry] = cardFields();
  const button = paying.getByRole("button", { name: "Pay $50.00" });
  const line = paying.getByRole("alert");
  await expect.poll(() => button.isDisabled()).toBe(true);
  await expect.poll(() => line.innerText()).toBe("");
  await expect.poll(() => expiry.getAttribute("placeholder")).toBe("MM/YY");

  await number.pressSequentially("41111111111111");
  await expect.poll(() => number.inputValue()).toBe("4111 1111 1111 11");
  await expect.poll(() => line.innerText()).toBe("");
  await code.fill("12");
  await expect.poll(() => line.innerText()).toBe("Card number is not valid");
  await expiry.fill("1330");
  await expect.poll(() => expiry.inputValue()).toBe("13/30");
  await expect.poll(() => line.innerText()).toBe("Card number is not valid");
  await number.fill("4111111111111111");
  await expect.poll(() => line.innerText()).toBe("Card code is not valid");
  await code.fill("123");
  await expect.poll(() => line.innerText()).toBe("Expiration date is not valid");
  await expect.poll(() => expiry.getAttribute("aria-invalid")).toBe("true");
  await expect.poll(() => button.isDisabled()).toBe(true);
  await expiry.fill("12/2030");
  await expect.poll(() => expiry.inputValue()).toBe("12/30");
  await expect.poll(() => line.innerText()).toBe("");
  await expect.poll(() => button.isEnabled()).toBe(true);

  await number.fill("5600000000000000");
  await expect.poll(() => line.innerText()).toBe("Card number is not valid");
  await number.fill("378282246310005");
  await expect.poll(() => number.inputValue()).toBe("3782 8224 6310 005");
  await expiry.fill("12/20");
  await expect.poll(() => line.innerText()).toBe("Expiration date is not valid");
  await expect.poll(() => button.isDisabled()).toBe(true);
  await number.fill("4000000000000002"); // the sandbox declines it
  await expiry.fill("12/30");
  await button.click();
  await line.getByText(/declined/).waitFor();
  await expect
    .poll(() => Promise.all(cardFields().map((field) => field.inputValue())))
    .toEqual(["", "", ""]);
  await expect.poll(() => button.isDisabled()).toBe(true);
  await number.fill("4");
  await expect.poll(() => line.innerText()).toBe("");
});

test("'Loading...' shows until the record has arrived, and a failure can be retried", async () => {
  await makeDebit(app.db, network, attorney);
  await openPage({ visitor: lawyer, changes: withoutAnswers });
  let answer: () => void = () => undefined;
  const held = new Promise<void>((resolve) => (answer = resolve));
  await page.route("**/attorneys/*", async (route) => {
    await held;
    await route.fulfill({ status: 429, json: { success: false, object: null, message: "Busy." } });
  });
  await page.goto("/dashboard");
  await page.getByText("Loading...").waitFor();
  answer();
  await page.getByText("Your dashboard could not be loaded").waitFor();
  await expect.poll(() => watched.alerts).toEqual(["Busy."]);
  await page.unroute("**/attorneys/*");
  await page.getByRole("button", { name: "Try again" }).click();
  await page.getByRole("table", { name: "Owed" }).waitFor();
});

async function expectTotal(amount: string): Promise<void> {
  await page.getByText(`Total payment${amount}`).waitFor();
}

/** The text of each row of a table's body. */
async function rowsOf(table: string): Promise<string[]> {
  const rows = page.getByRole("table", { name: table }).locator("tbody tr");
  const texts = await rows.allInnerTexts();
  return texts.map((text) => text.replace(/\s+/g, " ").trim());
}

/** The tab is shown again after being hidden: the record is refetched. */
async function returnToTab(): Promise<void> {
  const asked = page.waitForResponse((response) =>
    response.url().endsWith(`/attorneys/${attorney.id}`),
  );
  await page.evaluate(() =>
    document.dispatchEvent(new Event("visibilitychange", { bubbles: true })),
  );
  await asked;
}

/** An administrator decides shares of checks, by debit. */
async function decide(decisions: Record<number, "approved" | "denied">): Promise<void> {
  const shares = await app.db
    .selectFrom("paymentAllocations")
    .select(["id", "debitId"])
    .where("networkId", "=", network.id)
    .execute();
  const statuses = Object.fromEntries(
    shares.flatMap(({ id, debitId }) => {
      const decision = decisions[debitId];
      return decision ? [[id, decision]] : [];
    }),
  );
  await admin.call(confirmChecks, { body: { statuses } });
}
