import { beforeEach } from "vitest";
import { app, lawyer, network } from "#tests/support/app-test.ts";
import { takesCards } from "#tests/support/card-network.ts";
import { openPage, page, pageTest } from "#tests/support/page-test.ts";

/* The dashboard of Ada Byron, whose network takes cards, and her actions on it. */

export function lawyerDashboardTest() {
  const test = pageTest({
    lawyer: true,
    takesCards: true,
    network: {},
    attorney: { firstName: "Ada", lastName: "Byron" },
  });
  beforeEach(() => takesCards(app, network, "anet"));
  return test;
}

/** For a lawyer who owes something. */
export async function openDashboard(): Promise<void> {
  await openPage({ visitor: lawyer });
  await page.goto("/dashboard");
  await page.getByRole("table", { name: "Owed" }).waitFor();
}

export async function openTab(name: string): Promise<void> {
  await page.getByRole("tab", { name }).click();
  await page.getByRole("tabpanel", { name }).waitFor();
}

/** Press Pay, which opens the dialog if there is something to pay. */
export async function pay(): Promise<void> {
  await page.getByRole("button", { name: "Pay", exact: true }).click();
}

/** A debit's payment field, by the beginning of its label. */
export const payment = (debit: string) => page.getByLabel(`Payment for ${debit}`);

/** The values of these fields, as typed. */
export const amountsTyped = () =>
  page
    .getByLabel(/^Payment for/)
    .evaluateAll((fields) =>
      fields.map((field) => (field instanceof HTMLInputElement ? field.value : null)),
    );

/** The card's number, code and expiration in the dialog. */
export const cardFields = () =>
  [
    page.getByLabel("Card number"),
    page.getByLabel("Card code"),
    page.getByLabel("Expiration"),
  ] as const;
