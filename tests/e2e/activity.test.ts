import { expect } from "vitest";
import { editMatter } from "#referrals/matters/contract.ts";
import { createPlan } from "#dues/plans/contract.ts";
import { makeMatter } from "#tests/support/records/matters.ts";
import { signedIn } from "#tests/support/visitor.ts";
import { app, network } from "#tests/support/app-test.ts";
import { page } from "#tests/support/page-test.ts";
import { aChange, activityTest } from "#tests/support/screens/activity.ts";
import { barriersOf } from "#tests/support/watched-page.ts";

const test = activityTest();

test("each change says who changed which record, from what to what, and when", async () => {
  await page.goto("/admin/activity");
  await page.getByText("No changes yet").waitFor();
  const matter = await makeMatter(app.db, network);
  const admin = await signedIn(app, "admin", network);
  await admin.call(editMatter, {
    body: { matter_id: matter, phone: "555 010 4478", address_line_2: "" },
  });
  await admin.call(createPlan, {
    body: { name: "Panel dues", payment_amount: "50", payment_frequency_in_months: 3 },
  });
  await page.reload();
  await page.getByText("1–2 of 2").waitFor();
  const when = String.raw`\d\d/\d\d/\d{4}, \d+:\d\d [AP]M`;
  await expect
    .poll(rows)
    .toEqual([
      expect.stringMatching(
        new RegExp(`^${when} Ada Min Defined Panel dues Subscription Name: Panel dues`),
      ),
      expect.stringMatching(
        new RegExp(
          `^${when} Ada Min Changed contact details Jane Doe Referral ` +
            String.raw`Phone: \(555\) 010-4477 → became \(555\) 010-4478 Address line 2: Apt 4 → became nothing$`,
        ),
      ),
    ]);
  expect(await barriersOf(page)).toEqual([]);
  await page.getByRole("link", { name: "Jane Doe" }).click();
  await page.getByRole("heading", { name: "Jane Doe" }).waitFor();
});

test("activity is filtered by person, record and date, and the address has the filters", async () => {
  await aChange("Daily billing", "billing run", "2026-11-28T05:05:00Z");
  await aChange("Ada Min", "plan", "2026-11-29T04:59:00Z"); // 11:59 PM of the 28th in New York
  await aChange("Ada Min", "network", "2026-11-29T05:01:00Z");
  await page.goto("/admin/activity");
  await page.getByText("1–3 of 3").waitFor();
  await page.getByLabel("Who").selectOption("Ada Min");
  await page.getByText("1–2 of 2").waitFor();
  await page.getByLabel("Record").selectOption("Network settings");
  await page.getByText("1–1 of 1").waitFor();
  await expect.poll(() => new URL(page.url()).search).toBe("?who=Ada+Min&type=network");
  await page.getByLabel("To").fill("11/28/2026");
  await page.keyboard.press("Enter");
  await page.getByText("No changes match these filters").waitFor();
  await page.getByLabel("Record").selectOption("All");
  await page.getByText("1–1 of 1").waitFor();
  await expect.poll(rows).toEqual([expect.stringMatching(/^11\/28\/2026, 11:59 PM Ada Min/)]);
  await page.reload();
  await page.getByText("1–1 of 1").waitFor();
  await expect.poll(() => page.getByLabel("To").inputValue()).toBe("11/28/2026");
  await page.getByLabel("From").fill("11/29/2026");
  await page.keyboard.press("Tab");
  await page.getByRole("link", { name: "Clear filters" }).click();
  await page.getByText("1–3 of 3").waitFor();
  await expect.poll(() => page.getByLabel("To").inputValue()).toBe("");
});

/** The text of each row of the list. */
async function rows(): Promise<string[]> {
  const found = page.getByRole("table", { name: "Activity" }).locator("tbody tr");
  return (await found.allInnerTexts()).map((text) => text.replace(/\s+/g, " ").trim());
}
