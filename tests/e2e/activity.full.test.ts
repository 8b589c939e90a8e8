import { expect } from "vitest";
import { plainDate } from "#kit/domain/calendar.ts";
import { pauseAttorney } from "#people/contract.ts";
import { runBilling } from "#dues/ledger/billing-run.ts";
import { archivePlan, createPlan, subscribeAll } from "#dues/plans/contract.ts";
import { signedIn } from "#tests/support/visitor.ts";
import { app, attorney, network } from "#tests/support/app-test.ts";
import { page, watched } from "#tests/support/page-test.ts";
import { aChange, activityTest } from "#tests/support/screens/activity.ts";

/* Further cases of the activity; src/office/activity tests which entries are found. */

const test = activityTest({ attorney: { firstName: "Ada", lastName: "Byron" } });

test("an attorney's page leads to all activity about that attorney", async () => {
  const admin = await signedIn(app, "admin", network);
  for (let day = 10; day < 21; day += 1) {
    const body = { attorney_id: attorney.id, paused_until: `2026-12-${day}` };
    await admin.call(pauseAttorney, { body });
  }
  await aChange("Ada Min", "network", "2026-11-29T05:01:00Z");
  await page.goto(`/admin/attorneys/${attorney.id}?view=history`);
  await page.getByRole("link", { name: "All 11 changes" }).click();
  await page.getByText("1–11 of 11").waitFor();
  await page.getByText("Only about Ada Byron").waitFor();
  await page.getByRole("button", { name: "Show all" }).click();
  await page.getByText("1–12 of 12").waitFor();
  await page.goto(`/admin/activity?type=attorney&record=${attorney.id}`);
  await page.getByText("Only the attorney Ada Byron.").waitFor();
  await page.getByText("1–11 of 11").waitFor();
  await page.getByLabel("Record").selectOption("All"); // nothing else is named by an attorney's number
  await page.getByText("1–12 of 12").waitFor();
  expect(watched.alerts).toEqual([]);
});

test("an attorney's history includes changes made to all attorneys at the same time", async () => {
  const admin = await signedIn(app, "admin", network);
  const plan = await admin.call(createPlan, {
    body: { name: "Panel dues", payment_amount: "50", payment_frequency_in_months: 1 },
  });
  await admin.call(subscribeAll, {
    body: { lrs_subscription_id: plan.id, start_date: "2026-11-30", bill_immediately: true },
  });
  await runBilling(app.db, network.admin, plainDate("2026-12-30"));
  await admin.call(archivePlan, { params: { id: plan.id }, body: { archived: true } });
  await page.goto(`/admin/attorneys/${attorney.id}?view=history`);
  await page.getByText("Unsubscribed by archiving").waitFor();
  const history = page.getByRole("table", { name: "History" });
  const told = (await history.locator("tbody tr").allInnerTexts()).map((row) =>
    row.replace(/\s+/g, " ").trim(),
  );
  expect(told).toEqual([
    expect.stringMatching(
      /Unsubscribed by archiving Panel dues Subscription Archived: no → .* yes$/,
    ),
    expect.stringMatching(
      /Billed As of 12\/30\/2026 Billing run Amount: \$50\.00 Debits: \$50\.00 for Panel dues, due 12\/30\/2026$/,
    ),
    expect.stringMatching(
      /Enrolled by Subscribe all Panel dues Subscription Amount: \$50\.00 Start date: 11\/30\/2026 Debits: \$50\.00 for Panel dues, due 11\/30\/2026$/,
    ),
  ]);
});
