import { changeSettings } from "#referrals/suspension/contract.ts";
import { app, attorney, network } from "#tests/support/app-test.ts";
import type { Change } from "#tests/support/changed-pages.ts";
import { openPage, page, pageTest } from "#tests/support/page-test.ts";
import { signedIn } from "#tests/support/visitor.ts";

/* Ada Byron's referrals on her own screen. */

/** Noon of 11/30/2026 in the network's time zone, for the server and the browser. */
const clock = "2026-11-30T17:00:00Z";

export const ownMattersTest = () =>
  pageTest({ clock, network: {}, attorney: { firstName: "Ada", lastName: "Byron" } });

/** An empty page of Ada Byron's, signed in. */
export async function openOwnPage(
  more: { isPhone?: boolean; changes?: Change } = {},
): Promise<void> {
  const visitor = await signedIn(app, attorney, network);
  await openPage({ visitor, clock, ...more });
}

/** For a lawyer with open referrals. */
export async function openReferrals(wanted?: { isPhone: boolean }): Promise<void> {
  await openOwnPage(wanted);
  await page.goto("/dashboard/referrals");
  await page.getByRole("table", { name: "Open referrals" }).waitFor();
}

export async function openDashboard(): Promise<void> {
  await openOwnPage();
  await page.goto("/dashboard");
  await page.getByText("You owe nothing").waitFor();
}

/** From now on the network suspends attorneys for overdue reports. */
export async function suspendOverdue(): Promise<void> {
  const admin = await signedIn(app, "admin", network);
  await admin.call(changeSettings, { body: { suspends_overdue_attorneys: true } });
}

/** The text of each row of a table's body. */
export async function rowsOf(table: string): Promise<string[]> {
  const rows = page.getByRole("table", { name: table }).locator("tbody tr");
  return (await rows.allInnerTexts()).map((text) => text.replace(/\s+/g, " ").trim());
}
