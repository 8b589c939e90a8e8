import { readFile } from "node:fs/promises";
import { parse } from "csv-parse/sync";
import { sql } from "kysely";
import { expect } from "vitest";
import { makeAttorney } from "#tests/support/records/attorneys.ts";
import { admin, app, attorney, network } from "#tests/support/app-test.ts";
import { aChargedDebit, aCheck } from "#tests/support/check-records.ts";
import { prepareAll } from "#tests/support/exports.ts";
import { openPage, page, pageTest, watched } from "#tests/support/page-test.ts";
import { barriersOf, overflowOnPhone } from "#tests/support/watched-page.ts";

/** Noon of 11/20/2026 in the network's time zone, for the server and the browser. */
const clock = "2026-11-20T17:00:00Z";

const test = pageTest({
  clock,
  network: {},
  attorney: { firstName: "Quentin", lastName: "Hale" },
  by: "admin",
});

/** More than a page: sixty checks of last quarter, $1.00 to $60.00, and one of this quarter. */
async function sixtyChecks(): Promise<void> {
  const nora = await makeAttorney(app.db, network, { firstName: "Nora", lastName: "Abel" });
  for (let at = 1; at <= 61; at += 1)
    await aCheck(app.db, network, {
      number: String(1000 + at),
      receivedOn: "2026-08-01",
      parts: [{ attorneyId: at % 2 ? nora.id : attorney.id, creditCents: at * 100 }],
    });
  await sql`update payments set created_at = case when check_number = '1061'
      then '2026-10-01T12:00:00Z'::timestamptz else '2026-09-30T12:00:00Z'::timestamptz end
    where network_id = ${network.id}`.execute(app.db);
}

test("last quarter's payments are exported with four clicks: the file has the rows of all pages", async () => {
  await sixtyChecks();
  await page.goto("/admin/payments");
  await page.getByText("Total of 61 payments").waitFor();
  let clicks = 2; // a list opens, and one of its choices is pressed
  await page.getByLabel("Period").selectOption("Last quarter");
  await page.getByText("Total of 60 payments").waitFor();
  await page.getByRole("button", { name: "Export these" }).click();
  clicks += 1;
  await page.getByText("The report is being prepared").waitFor();
  await prepareAll(app);
  const downloading = page.waitForEvent("download");
  await page.getByRole("link", { name: "Download 60 rows" }).click();
  clicks += 1;
  const file = await readFile(await (await downloading).path());
  const rows: Record<string, string>[] = parse(file, { bom: true, columns: true });
  expect(clicks).toBeLessThanOrEqual(4);
  expect(rows).toHaveLength(60);
  expect(rows.reduce((sum, row) => sum + Number(row["Amount"]), 0)).toBe(1830);
  await page.getByText("Payments made 07/01/2026–09/30/2026").last().waitFor();
  expect(await page.getByRole("row", { name: "Total of 60 payments" }).innerText()).toContain(
    "$1,830.00",
  );

  await page.evaluate(() => {
    window.print = () => {
      const count = document.querySelectorAll("tbody tr").length;
      document.body.dataset["printed"] =
        `${count} ${document.querySelector("main p")?.textContent}`;
      window.dispatchEvent(new Event("afterprint"));
    };
  });
  await page.keyboard.press("Control+p");
  await expect
    .poll(() => page.evaluate(() => document.body.dataset["printed"]))
    .toBe("60 Payments made 07/01/2026–09/30/2026");
  await expect.poll(() => page.locator("tbody tr").count()).toBe(50);
});

test("a list is sorted by keyboard, its filters are saved and chosen by name, and rows can be compact", async () => {
  await sixtyChecks();
  await page.goto("/admin/checks");
  await page.getByText("Total of 61 checks").waitFor();
  await page.getByRole("button", { name: "Amount" }).focus();
  await page.keyboard.press("Enter");
  const first = page.locator("tbody tr").first();
  const order = () => page.getByRole("columnheader", { name: "Amount" }).getAttribute("aria-sort");
  await expect.poll(order).toBe("descending");
  await page.keyboard.press("Enter");
  await expect.poll(() => first.innerText()).toContain("$1.00");
  expect(await order()).toBe("ascending");
  await page.getByLabel("Search by number").fill("hale");
  await page.getByText("Total of 30 checks").waitFor();

  await page.getByRole("button", { name: "Save these filters" }).click();
  await page.getByRole("dialog").getByLabel("Name").fill("Hale, smallest first");
  await page.keyboard.press("Enter");
  const saved = page.getByRole("navigation", { name: "Saved filters" });
  await saved.getByRole("link", { name: "Hale, smallest first" }).waitFor();
  await page.goto("/admin/checks");
  await page.getByText("Total of 61 checks").waitFor();
  await saved.getByRole("link", { name: "Hale, smallest first" }).click();
  await page.getByText("Total of 30 checks").waitFor();
  await expect.poll(() => first.innerText()).toContain("$2.00");
  expect(await barriersOf(page)).toEqual([]);

  const heightOf = () => first.evaluate((row) => row.getBoundingClientRect().height);
  const usual = await heightOf();
  await page.getByLabel("Compact rows").check();
  await expect.poll(heightOf).toBeLessThan(usual);
  await page.reload();
  await page.getByText("Total of 30 checks").waitFor();
  expect(await page.getByLabel("Compact rows").isChecked()).toBe(true);

  await page.getByRole("button", { name: "Saved filters", exact: true }).click();
  await page.getByRole("button", { name: "Rename Hale, smallest first" }).click();
  await page.getByLabel("New name").fill("Hale");
  await page.keyboard.press("Enter");
  await page.getByRole("button", { name: "Remove Hale" }).click();
  await page.getByRole("dialog").getByLabel("Name").waitFor();
  expect(watched.alerts).toEqual([]);
});

test("who owes for over ninety days is two clicks from receivables; on a phone a field sorts", async () => {
  await aChargedDebit(app.db, network, attorney, { dueOn: "2026-08-21", amountCents: 7500 });
  await aChargedDebit(app.db, network, attorney, { dueOn: "2026-08-22", amountCents: 3500 });
  await aChargedDebit(app.db, network, attorney, { dueOn: "2026-05-01", amountCents: 1000 });
  await page.goto("/admin/receivables");
  await page.getByRole("link", { name: "Overdue for over 90 days" }).click();
  await page.getByText("Total of 2 debits").waitFor();
  expect(await page.getByRole("row", { name: "Total of 2 debits" }).innerText()).toContain(
    "$85.00",
  );
  expect(await barriersOf(page)).toEqual([]);
  expect(await overflowOnPhone(page)).toBe(0);
  await openPage({ visitor: admin, isPhone: true });
  await page.goto("/admin/debits");
  await page.getByText("Total of 3 debits").waitFor();
  await page.getByLabel("Sort by").selectOption("Owed, largest first");
  await expect.poll(() => page.locator("tbody tr").first().innerText()).toContain("$75.00");
  expect(await overflowOnPhone(page)).toBe(0);
});
