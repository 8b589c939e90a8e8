import type { Locator } from "playwright-core";
import { expect } from "vitest";
import { makePanel } from "#tests/support/records/attorneys.ts";
import { makePlan } from "#main/demo/records/dues.ts";
import { makeMatter } from "#tests/support/records/matters.ts";
import { app, attorney, network } from "#tests/support/app-test.ts";
import { expectNoBarriers, page, pageTest } from "#tests/support/page-test.ts";

/* What screen readers announce when a list is searched: its live region. */

const test = pageTest({
  network: {},
  attorney: { firstName: "Ada", lastName: "Byron" },
  by: "admin",
});

/** The text of the live regions that have any. */
async function announced(region: Locator): Promise<string> {
  return (await region.allInnerTexts()).join(" ").replaceAll(/\s+/g, " ");
}

const choices = () => announced(page.getByRole("log"));
const results = () => announced(page.getByRole("status"));

test("a searchable list announces the number of choices, and that there are none", async () => {
  await makePanel(app.db, network, 3);
  await makePlan(app.db, network, { name: "Annual dues" });
  await makePlan(app.db, network, { name: "Monthly dues" });

  await makeMatter(app.db, network);

  // Found by the server.
  await page.goto("/admin/matters");
  await page.getByLabel("Attorney", { exact: true }).click();
  await expectNoBarriers();
  await expect.poll(choices).toContain("4 results available.");
  await page.keyboard.type("Byron");
  await expect.poll(choices).toContain("1 result available for search term Byron.");
  await page.keyboard.type("xyz");
  await expect.poll(choices).toContain("No options for search term Byronxyz.");
  await page.getByText("No options", { exact: true }).waitFor();
  await expectNoBarriers();

  // Found in the browser.
  await page.goto(`/admin/attorneys/${attorney.id}`);
  await page.getByLabel("Subscription", { exact: true }).click();
  await expect.poll(choices).toContain("2 results available.");
  await page.keyboard.type("annual");
  await expect.poll(choices).toContain("1 result available for search term annual.");
  await page.keyboard.type("xyz");
  await expect.poll(choices).toContain("No options for search term annualxyz.");
});

test("a list without any choices announces that", async () => {
  await page.goto(`/admin/attorneys/${attorney.id}`);
  await page.getByLabel("Subscription", { exact: true }).click();
  await page.getByText("No options", { exact: true }).waitFor();
  await expect.poll(choices).toContain("No options.");
});

test("a searched table announces how many rows were found, and so does Find anything", async () => {
  await makePanel(app.db, network, 3);
  await page.goto("/admin/attorneys");
  await expect.poll(results).toContain("4 results available");
  await page.getByRole("searchbox", { name: "Search" }).fill("Byron");
  await expect.poll(results).toContain("1 result available");
  await page.getByRole("searchbox", { name: "Search" }).fill("Byronxyz");
  await expect.poll(results).toContain("0 results available");
  await expectNoBarriers();

  await page.getByRole("button", { name: "Find anything" }).click();
  const field = page.getByRole("combobox", { name: "Find anything" });
  await field.fill("Byron");
  await expect.poll(results).toContain("1 found. Choose with the arrow keys.");
  await field.fill("Byronxyz");
  await expect.poll(results).toContain("Nothing found");
});
