import { expect } from "vitest";
import { payByCheck } from "#payments/contract.ts";
import { admin, app, attorney, lawyer, network } from "#tests/support/app-test.ts";
import { openPage, page, watched } from "#tests/support/page-test.ts";
import { makeDebit } from "#tests/support/records/dues.ts";
import {
  amountsTyped,
  cardFields,
  lawyerDashboardTest,
  openDashboard,
  openTab,
  pay,
  payment,
} from "#tests/support/screens/lawyer-dashboard.ts";

/* Further cases of the lawyer's dashboard; src/payments tests which payments are accepted. */

const test = lawyerDashboardTest();

test("a check's details are one click away once it is recorded", async () => {
  await makeDebit(app.db, network, attorney, { amountCents: 5000 });
  await openDashboard();
  await payment("Panel dues").fill("50");
  await pay();
  const paying = page.getByRole("dialog", { name: "You are paying: $50.00" });
  await paying.getByLabel("Pay by check").check();
  await paying.getByLabel("Check number").fill("1042");
  await page.keyboard.press("Enter");
  await page.getByText("Check 1042 for $50.00 is recorded.").waitFor();
  await page.getByRole("link", { name: "Details", exact: true }).click();
  await page.getByRole("heading", { name: "Check 1042, pending" }).waitFor();
  await page.getByText("Check 1042", { exact: true }).waitFor();
  expect(watched.alerts).toEqual([]);
});

test("more than the largest payment is not offered as one payment", async () => {
  await makeDebit(app.db, network, attorney, { amountCents: 100_000_000 });
  await makeDebit(app.db, network, attorney, { planName: "Website listing", amountCents: 1 });
  await openDashboard();
  await pay();
  await page.getByRole("alert").getByText("One payment can be at most $1,000,000.00.").waitFor();
  await expect.poll(() => page.getByRole("button", { name: /^Pay everything/ }).count()).toBe(0);
});

test("a refused check shows an alert and keeps everything typed", async () => {
  const debit = await makeDebit(app.db, network, attorney, { amountCents: 5000 });
  const body = { payment_hash: { [debit]: "10" }, check_number: "1042" };
  await admin.call(payByCheck, { body });
  await openDashboard();
  await payment("Panel dues").fill("12.50");
  await pay();
  const paying = page.getByRole("dialog", { name: "You are paying: $12.50" });
  await paying.getByLabel("Pay by check").check();
  await paying.getByRole("button", { name: "Pay $12.50 by check" }).click();
  await paying.getByRole("link", { name: "Enter a check number." }).click();
  expect(watched.alerts).toEqual([]);
  await page.keyboard.type("1042");
  await page.keyboard.press("Enter");
  const refusal = "Check 1042 has already been recorded on one of these debits.";
  await paying.getByRole("alert").getByText(refusal).waitFor();
  await expect.poll(() => watched.alerts).toEqual([refusal]);
  await expect.poll(() => paying.getByLabel("Check number").inputValue()).toBe("1042");
  await page.keyboard.press("Escape");
  await page.getByRole("button", { name: "Discard", exact: true }).click();
  await paying.waitFor({ state: "detached" });
  await expect.poll(amountsTyped).toEqual(["12.50"]);
});

test("switching to the other way to pay and back keeps what was typed", async () => {
  await makeDebit(app.db, network, attorney, { amountCents: 5000 });
  await openDashboard();
  await payment("Panel dues").fill("50");
  await pay();
  const paying = page.getByRole("dialog", { name: "You are paying: $50.00" });
  const [number, code] = cardFields();
  await number.fill("4111111111111111");
  await code.fill("123");
  await paying.getByLabel("Pay by check").check();
  await paying.getByRole("textbox", { name: "Check number" }).fill("1042");
  expect(await number.isVisible()).toBe(false);
  await paying.getByLabel("Pay by card").check();
  await expect.poll(() => number.inputValue()).toBe("4111 1111 1111 1111");
  expect(await code.inputValue()).toBe("123");
  await paying.getByLabel("Pay by check").check();
  await paying.getByRole("button", { name: "Pay $50.00 by check" }).click();
  await page.getByText("Check 1042 for $50.00 is recorded.").waitFor();
});

test("a forgotten digit of a card number can be inserted in its place", async () => {
  await makeDebit(app.db, network, attorney);
  await openDashboard();
  await payment("Panel dues").fill("50");
  await pay();
  const [number] = cardFields();
  await number.fill("424242424242424");
  for (let step = 0; step < 13; step += 1) await number.press("ArrowLeft");
  await page.keyboard.type("99");
  await expect.poll(() => number.inputValue()).toBe("4242 9942 4242 4242");
  await page.keyboard.press("Backspace");
  await page.keyboard.press("Backspace");
  await expect.poll(() => number.inputValue()).toBe("4242 4242 4242 42");
});

test("the dashboard can be used by keyboard only", async () => {
  await makeDebit(app.db, network, attorney, { amountCents: 5000 });
  await openDashboard();
  await page.getByRole("tab", { name: "Owed" }).focus();
  await page.keyboard.press("ArrowRight");
  await page.getByText("Nothing paid yet").waitFor();
  await expect.poll(() => new URL(page.url()).search).toBe("?view=payments");
  await page.keyboard.press("Home");
  await page.getByRole("table", { name: "Your subscriptions" }).waitFor();
  await expect.poll(() => new URL(page.url()).search).toBe("?view=subscriptions");
  await page.goBack();
  await page.getByText("Nothing paid yet").waitFor();
  await page.getByRole("tab", { name: "Paid" }).focus();
  await page.keyboard.press("ArrowLeft");
  await page.getByRole("table", { name: "Owed" }).waitFor();
  await page.keyboard.press("Tab");
  await page.keyboard.press("Tab");
  await expect.poll(focusedLabel).toMatch(/^Payment for Panel dues/);
  await page.keyboard.type("25");
  await page.keyboard.press("Enter");
  const paying = page.getByRole("dialog", { name: "You are paying: $25.00" });
  await paying.waitFor();
  await page.keyboard.press("Escape");
  await paying.waitFor({ state: "hidden" });
  await expect.poll(focusedLabel).toMatch(/^Payment for Panel dues/);
  await page.keyboard.press("Enter");
  await page.keyboard.press("ArrowRight"); // from card to check
  await page.keyboard.press("Tab");
  await page.keyboard.type("2001");
  await page.keyboard.press("Enter");
  await page.getByText("Check 2001 for $25.00 is recorded.").waitFor();
});

test("a lawyer without dues sees a message", async () => {
  await openPage({ visitor: lawyer });
  await page.goto("/dashboard");
  await page.getByText("You owe nothing").waitFor();
  await openTab("Paid");
  await page.getByText("Nothing paid yet").waitFor();
  await openTab("Your subscriptions");
  await page.getByText("You have no subscriptions").waitFor();
  await expect.poll(() => page.getByRole("table").count()).toBe(0);
});

const focusedLabel = () =>
  page.evaluate(() =>
    document.activeElement instanceof HTMLInputElement
      ? document.activeElement.labels?.[0]?.textContent
      : null,
  );
