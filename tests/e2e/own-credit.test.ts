import { expect } from "vitest";
import { showAttorney } from "#people/contract.ts";
import { makeDebit } from "#tests/support/records/dues.ts";
import { aCredit, ledgerOffences } from "#tests/support/ledger.ts";
import { app, attorney, lawyer, network } from "#tests/support/app-test.ts";
import { page, pageTest } from "#tests/support/page-test.ts";
import { barriersOf, overflowOnPhone } from "#tests/support/watched-page.ts";

/* Lawyers are not asked for money that their credit covers, and can use the credit themselves. */

const test = pageTest({
  clock: "2026-11-30T17:00:00Z",
  network: {},
  attorney: { firstName: "Ada", lastName: "Byron" },
  lawyer: true,
  by: "lawyer",
});

const chargeAttorney = async (amountCents: number, dueOn: string, planName?: string) =>
  await makeDebit(app.db, network, attorney, { amountCents, dueOn, ...(planName && { planName }) });
const summary = () => page.getByRole("region", { name: "What you owe" });

test("credit that covers everything is used with one press, and nothing else is asked for", async () => {
  await chargeAttorney(2000, "2026-08-31");
  await chargeAttorney(4000, "2026-09-30");
  await aCredit(app.db, network, attorney.id, 8000);
  await openDashboard();
  await summary().getByText("You owe $60.00").waitFor();
  await summary().getByText("Left to pay after your credit: nothing").waitFor();
  expect(await summary().getByRole("link", { name: /^Pay/ }).count()).toBe(0);
  expect(await page.getByRole("button", { name: /^All/ }).count()).toBe(0);
  await page.getByRole("button", { name: "Pay", exact: true }).click();
  await page.getByText("You have not entered an amount. Your credit covers what you owe").waitFor();
  expect(await barriersOf(page)).toEqual([]);
  await summary().getByRole("button", { name: "Use $60.00 of your credit" }).click();
  await summary().getByText("$60.00 was paid from your credit.").waitFor();
  await summary().getByText("You owe $0.00").waitFor();
  await page.getByText("You have $20.00 of credit").waitFor();
  expect(await ledgerOffences(app.db, network.id)).toEqual([]);
});

test("credit that covers a part leaves Pay for the rest, of the debits due last", async () => {
  await chargeAttorney(5000, "2026-08-31");
  const later = await chargeAttorney(7500, "2026-09-30", "Website listing");
  await aCredit(app.db, network, attorney.id, 6000);
  await openDashboard();
  await summary().getByText("Left to pay after your credit: $65.00").waitFor();
  await summary().getByRole("button", { name: "Use $60.00 of your credit" }).waitFor();
  expect(await barriersOf(page)).toEqual([]);
  expect(await overflowOnPhone(page)).toBe(0);
  await page.getByRole("button", { name: "Pay", exact: true }).click();
  await page.getByRole("button", { name: "Pay everything ($65.00)" }).waitFor();
  await summary().getByRole("link", { name: "Pay $65.00" }).click();
  const paying = page.getByRole("dialog", { name: "You are paying: $65.00" });
  const listed = paying.getByRole("list", { name: "What you are paying" }).getByRole("listitem");
  await expect
    .poll(() => listed.allInnerTexts())
    .toEqual([expect.stringMatching(/^Website listing, due 09\/30\/2026\s+\$65\.00$/)]);
  await paying.getByLabel("Pay by check").check();
  await paying.getByLabel("Check number").fill("1042");
  await paying.getByRole("button", { name: "Pay $65.00 by check" }).click();
  await page.getByText("Check 1042 for $65.00 is recorded.").waitFor();
  await summary().getByText("Left to pay after your credit: nothing").waitFor();
  await summary().getByRole("button", { name: "Use $60.00 of your credit" }).click();
  await summary().getByText("$60.00 was paid from your credit.").waitFor();
  const { debits } = await lawyer.call(showAttorney, { params: { id: attorney.id } });
  expect(debits).toMatchObject([{ id: later, balance: 6500, pending: 6500 }]);
});

test("more than the largest payment is used in several presses", async () => {
  for (const dueOn of ["2026-08-31", "2026-09-30"]) await chargeAttorney(75_000_000, dueOn);
  for (const _ of [1, 2]) await aCredit(app.db, network, attorney.id, 75_000_000);
  await openDashboard();
  // The rest of the page loads later than the balance: each press is confirmed with its own amount.
  await page.route("**/attorneys/*/credit*", () => undefined);
  for (const amount of ["$1,000,000.00", "$500,000.00"]) {
    await summary()
      .getByRole("button", { name: `Use ${amount} of your credit` })
      .click();
    await summary().getByText(`${amount} was paid from your credit.`).waitFor();
  }
  await summary().getByText("You owe $0.00").waitFor();
});

async function openDashboard(): Promise<void> {
  await page.goto("/dashboard");
  await summary().waitFor();
}
