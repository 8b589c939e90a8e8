import { attorney } from "#tests/support/app-test.ts";
import { page, pageTest } from "#tests/support/page-test.ts";

/* Plans, and the dues of Ada Byron, on an administrator's screens. */

/** `pageTest` at noon of 11/30/2026 in the network's time zone. */
export const adminDuesTest = () =>
  pageTest({
    clock: "2026-11-30T17:00:00Z",
    network: {},
    attorney: { firstName: "Ada", lastName: "Byron" },
    by: "admin",
  });

export async function openSubscriptions(): Promise<void> {
  await page.goto("/admin/subscriptions");
  await page.getByRole("heading", { name: "Your Subscriptions" }).waitFor();
}

export async function openAttorney(): Promise<void> {
  await page.goto(`/admin/attorneys/${attorney.id}`);
  await page.getByRole("heading", { name: "Ada Byron" }).waitFor();
}

/** On the attorney's page: choose the first plan that this text finds. */
export async function choosePlan(typed: string): Promise<void> {
  const select = page.getByRole("combobox", { name: "Subscription" });
  await select.fill(typed);
  await page.getByRole("option").first().waitFor(); // plans load after the attorney
  await select.press("Enter");
}

/** On the attorney's page with one payable debit: send a check, which may be refused. */
export async function addCheck(number: string, amount: string): Promise<void> {
  await page.getByRole("button", { name: /^Add check/ }).click();
  await dialog("Pay by check").getByLabel("Check number").fill(number);
  await dialog("Pay by check").getByLabel("Amount").fill(amount);
  await dialog("Pay by check").getByRole("button", { name: "Add check" }).click();
}

export function dialog(title: string) {
  return page.getByRole("dialog", { name: title });
}

/** The text of the first row that contains this, with single spaces. */
export async function rowOf(text: string, table = "Your Subscriptions"): Promise<string> {
  const rows = page.getByRole("table", { name: table }).getByRole("row");
  return oneLine(await rows.filter({ hasText: text }).first().innerText());
}

export const oneLine = (text: string) => text.replace(/\s+/g, " ").trim();
