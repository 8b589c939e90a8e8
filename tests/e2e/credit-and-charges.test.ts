import { expect } from "vitest";
import { makePanel } from "#tests/support/records/attorneys.ts";
import { aCredit } from "#tests/support/ledger.ts";
import { makeDebit } from "#tests/support/records/dues.ts";
import { app, attorney, lawyer, network } from "#tests/support/app-test.ts";
import { expectNoBarriers, openPage, page, watched } from "#tests/support/page-test.ts";
import { dialog, openAttorney, rowOf } from "#tests/support/screens/admin-dues.ts";
import { creditAndChargesTest } from "#tests/support/screens/credit-and-charges.ts";

const test = creditAndChargesTest();

test("credit is applied to a debit and refunded, as announced, and the lawyer sees it", async () => {
  await makeDebit(app.db, network, attorney, { amountCents: 7500, dueOn: "2026-10-31" });
  await makeDebit(app.db, network, attorney, {
    amountCents: 3000,
    dueOn: "2026-11-15",
    planName: "Experience panel",
  });
  await openAttorney();
  await page.getByText("No credit. If a check or card payment is more than").waitFor();
  const number = await aCredit(app.db, network, attorney.id, 10_000);
  await page.reload();
  await page.getByText("$100.00 left").waitFor();
  await expect
    .poll(() => rowOf("Kept as credit", "Payments"))
    .toMatch(new RegExp(`Check ${number}.*Approved.*\\$100\\.00`));

  await page.getByRole("button", { name: "Apply to a debit" }).click();
  const applying = dialog("Apply credit to a debit");
  await expect.poll(() => applying.getByLabel("Amount in dollars").inputValue()).toBe("75.00");
  await applying
    .getByText(
      "Panel dues, due 10/31/2026 goes from $75.00 to $0.00, the credit from $100.00 to $25.00.",
    )
    .waitFor();
  await applying
    .getByLabel("Debit")
    .selectOption("Experience panel, due 11/15/2026: $30.00 to pay");
  await expect.poll(() => applying.getByLabel("Amount in dollars").inputValue()).toBe("30.00");
  await applying.getByLabel("Amount in dollars").fill("30.01");
  await applying.getByText("At most $30.00: $100.00 of credit is left").waitFor();
  await applying.getByRole("button", { name: "Apply credit" }).click();
  await applying.getByRole("link", { name: /^At most \$30\.00 can be applied to this/ }).waitFor();
  await expect.poll(() => applying.getByLabel("Amount in dollars").inputValue()).toBe("30.01");
  await expectNoBarriers();
  await applying.getByLabel("Amount in dollars").fill("12.50");
  await applying.getByRole("button", { name: "Apply credit" }).click();
  await page.getByText("$12.50 was paid from credit. $87.50 of credit is left.").waitFor();
  await expect
    .poll(() => rowOf("Experience panel", "Outstanding Debits"))
    .toMatch(/\$17\.50 \$12\.50 paid from credit/);

  await page.getByRole("button", { name: "Refund credit" }).click();
  const giving = dialog("Refund credit");
  await expect.poll(() => giving.getByLabel("Amount in dollars").inputValue()).toBe("87.50");
  await giving.getByLabel("Amount in dollars").fill("50");
  await giving.getByText("The credit goes from $87.50 to $37.50.").waitFor();
  await giving.getByRole("button", { name: "Record refund of credit" }).click();
  await giving
    .getByRole("link", {
      name: "Enter a note that says how you refunded it, such as Our check 512.",
    })
    .click();
  await page.keyboard.type("Our check 512");
  await giving.getByRole("button", { name: "Record refund of credit" }).click();
  await page.getByText("A refund of $50.00 was recorded. $37.50 of credit is left.").waitFor();
  await expect
    .poll(() => page.getByRole("table", { name: "Credit" }).innerText())
    .toMatch(/Our check 512[^]*-\$50\.00[^]*Experience panel[^]*-\$12\.50[^]*\$100\.00/);
  await expectNoBarriers();

  await openPage({ visitor: lawyer });
  await page.goto("/dashboard");
  await page.getByText("Your credit: $37.50").waitFor();
  await page.getByText("You have $37.50 of credit").waitFor();
  await page.getByText(`Received: Check ${number}`).waitFor();
  await expect
    .poll(() => rowOf("Experience panel", "Owed"))
    .toMatch(/\$17\.50 \$12\.50 paid from credit/);
  await expectNoBarriers();
  await page.getByRole("tab", { name: "Paid" }).click();
  await expect
    .poll(() => rowOf("Kept as credit", "Paid"))
    .toMatch(new RegExp(`Check ${number}.*Receipt.*\\$100\\.00.*Approved`));
});

test("chosen attorneys are charged, then all, with the numbers shown first", async () => {
  await makePanel(app.db, network, 60);
  await page.goto("/admin/attorneys");
  await page.getByRole("checkbox", { name: "Choose Ada Byron" }).check();
  await page.getByRole("link", { name: "Next" }).click();
  await page.getByText("1 on other pages").waitFor();
  await page.getByRole("checkbox", { name: "Choose Panel Member 9", exact: true }).check();
  await page.getByText("2 chosen").waitFor();
  await page.getByText("1 on other pages").waitFor();
  await expectNoBarriers();
  await page.getByRole("button", { name: "Charge 2 attorneys" }).click();
  const charging = dialog("Charge attorneys");
  await charging.getByText("Enter the amount to charge 2 attorneys.").waitFor();
  await charging.getByLabel("Name of the charge").fill("Late fee");
  await charging.getByLabel("Amount in dollars").fill("25");
  await charging.getByText("Charge 2 attorneys $25.00 each, $50.00 in all.").waitFor();
  await charging.getByLabel("Due date").fill("11/01/2025");
  await charging.getByRole("button", { name: "Charge 2 attorneys ($50.00)" }).click();
  await charging.getByRole("link", { name: "The due date must be at most a year ago." }).waitFor();
  await expect.poll(() => charging.getByLabel("Name of the charge").inputValue()).toBe("Late fee");
  await charging.getByLabel("Due date").fill("11/30/2026");
  await expectNoBarriers();
  await charging.getByRole("button", { name: "Charge 2 attorneys ($50.00)" }).click();
  await page.getByText("Late fee: 2 attorneys are charged, $50.00 in all.").waitFor();
  await expect.poll(() => page.getByText("2 chosen").count()).toBe(0);
  await expect.poll(() => rowOf("Panel Member 9", "Attorneys")).toContain("$25.00");

  await page.getByRole("button", { name: "Charge attorneys" }).click();
  await charging.getByText("Everyone on the panel is charged.").waitFor();
  await charging.getByLabel("Name of the charge").fill("Course");
  await charging.getByLabel("Amount in dollars").fill("$1,000.5");
  await charging.getByText("Charge 61 attorneys $1,000.50 each, $61,030.50 in all.").waitFor();
  await charging.getByRole("button", { name: "Charge 61 attorneys ($61,030.50)" }).click();
  await page.getByText("Course: 61 attorneys are charged, $61,030.50 in all.").waitFor();
  expect(watched.alerts).toEqual(["The due date must be at most a year ago."]);
});

test("the network chooses how it handles credit and fees", async () => {
  await page.goto("/admin/settings/network");
  const applies = page.getByLabel("Apply credit to new debits automatically");
  const fee = page.getByLabel("Usual fee for a returned check, in dollars");
  await expect.poll(() => applies.isChecked()).toBe(true);
  await applies.uncheck();
  await fee.fill("free");
  await page.getByRole("button", { name: "Update credit and fees" }).click();
  await page
    .getByRole("link", { name: /^Usual fee for a returned check, in dollars must be an amount/ })
    .click();
  await page.keyboard.type("$35");
  await page.getByRole("button", { name: "Update credit and fees" }).click();
  await page
    .getByText(
      /^Saved\. New debits are not paid .* Fee for a returned check: \$35\.00, for a chargeback: none\.$/,
    )
    .waitFor();
  await page.getByText("Account names", { exact: true }).click();
  await page.getByLabel("Bank", { exact: true }).fill("First Harbor");
  await page.getByRole("button", { name: "Update account names" }).click();
  await page.getByText("Saved. The journal uses these names from now on.").waitFor();
  await expectNoBarriers();
  await page.reload();
  await expect.poll(() => applies.isChecked()).toBe(false);
  await expect.poll(() => fee.inputValue()).toBe("35.00");
  await page.getByText("Account names", { exact: true }).click();
  await expect
    .poll(() => page.getByLabel("Bank", { exact: true }).inputValue())
    .toBe("First Harbor");
});
