import { page, pageTest } from "#tests/support/page-test.ts";

/* Subscribe all lawyers to a plan, on 05/10/2026. */

export const planPageTest = () =>
  pageTest({ clock: "2026-05-10T16:00:00Z", network: {}, by: "admin" });

/** The body of a call that subscribes all lawyers to a plan: from today, billed immediately. */
export const terms = (plan: number) => ({
  lrs_subscription_id: plan,
  start_date: "2026-05-10",
  bill_immediately: true,
});

/** The same for the plan Panel dues, as an administrator does it. */
export async function subscribeAllOnScreen(): Promise<void> {
  await page.getByRole("button", { name: "Subscribe all lawyers to Panel dues" }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByText("bill nothing today").waitFor(); // the dialog grows by it
  await dialog.getByLabel(/^Bill immediately/).check();
  await dialog.getByRole("button", { name: "Submit" }).click();
}
