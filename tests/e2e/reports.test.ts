import { readFileSync } from "node:fs";
import { expect } from "vitest";
import { formatDay } from "#kit/domain/day.ts";
import { prepareAll } from "#tests/support/exports.ts";
import { makeDebit } from "#tests/support/records/dues.ts";
import { app, network } from "#tests/support/app-test.ts";
import { page, watched } from "#tests/support/page-test.ts";
import { barriersOf, overflowOnPhone } from "#tests/support/watched-page.ts";
import {
  chooseType,
  focusedText,
  grace,
  openReports,
  pressCreate,
  reportsTest,
  rowOf,
  today,
} from "#tests/support/screens/reports.ts";

const test = reportsTest();

test("a report is chosen, ordered, prepared and downloaded, and its choices can be reused", async () => {
  await makeDebit(app.db, network, grace, { amountCents: 12_550 });
  await openReports();
  await page.getByText("Select a report type").waitFor();
  const create = page.getByRole("button", { name: "Create report" });
  await expect.poll(() => create.isDisabled()).toBe(true);
  await chooseType("Subscription debits");
  await expect.poll(() => create.isEnabled()).toBe(true);
  await create.click();

  const dialog = page.getByRole("dialog", { name: "Create custom report: Subscription debits" });
  const events = dialog.getByLabel("Event Types");
  await expect.poll(() => events.inputValue()).toBe("submitted_at");
  await expect
    .poll(() => events.getByRole("option").allInnerTexts())
    .toEqual(["Debits created between:", "Debits due between:"]);
  await expect.poll(() => dialog.getByLabel("Specific range").isChecked()).toBe(true);
  await expect.poll(() => dialog.getByLabel("Start date").inputValue()).toBe(formatDay(today));
  await expect.poll(() => dialog.getByLabel("End date").inputValue()).toBe(formatDay(today));
  await dialog.getByText("All attorneys").waitFor();
  await expect.poll(unchecked).toEqual([]);
  const again = dialog.getByRole("button", { name: "Use last time's choices" });
  await expect.poll(() => again.count()).toBe(0);

  await dialog.getByRole("button", { name: "Uncheck all" }).click();
  for (const column of ["Attorney", "Balance"])
    await dialog.getByLabel(column, { exact: true }).check();
  await dialog.getByLabel("All time").check();
  await expect.poll(() => dialog.getByLabel("Start date").count()).toBe(0);
  await events.selectOption("Debits due between:");
  await dialog.getByLabel("Filter by").fill("Höpper, gra");
  await dialog.getByRole("option", { name: /Grace Hopper/ }).waitFor();
  await page.keyboard.press("Enter");
  const sent = page.waitForRequest("**/data_export.json");
  await dialog.getByRole("button", { name: "Create Report" }).click();
  expect((await sent).postDataJSON()).toEqual({
    report_type: "subscription_debits",
    columns: ["attorney_name", "balance"],
    attorney_id: grace.id,
    range_mode: "all-time",
    time_filter_mode: "due_on",
  });
  await dialog.waitFor({ state: "hidden" });
  await expect
    .poll(() => watched.alerts)
    .toEqual([
      'Your report "Subscription debits" is being prepared. You will find it in the list of reports.',
    ]);
  await rowOf("Subscription debits").getByText("Queued").waitFor();

  await prepareAll(app); // the page is not reloaded
  await rowOf("Subscription debits").getByText("Ready").waitFor();
  expect(await barriersOf(page)).toEqual([]);
  expect(await overflowOnPhone(page)).toBe(0);
  await expect
    .poll(() => rowOf("Subscription debits").innerText())
    .toMatch(/All time, Grace Hopper/);
  const [download] = await Promise.all([
    page.waitForEvent("download"),
    page.getByRole("link", { name: /^Download/ }).click(),
  ]);
  expect(download.suggestedFilename()).toMatch(/subscription-debits.*\.csv$/);
  expect(readFileSync(await download.path(), "utf8")).toBe(
    "\u{FEFF}Attorney,Balance\r\nGrace Hopper,125.50\r\n",
  );

  await page.reload();
  await chooseType("Subscription debits");
  await create.click();
  await expect.poll(() => events.inputValue()).toBe("submitted_at");
  await expect.poll(() => dialog.getByLabel("Specific range").isChecked()).toBe(true);
  await expect.poll(() => dialog.getByLabel("Start date").inputValue()).toBe(formatDay(today));
  await expect.poll(unchecked).toEqual([]);
  await dialog.getByText("All attorneys").waitFor();
  await dialog.getByLabel("Period", { exact: true }).selectOption("Last year");
  const lastYear = Number(today.slice(0, 4)) - 1;
  await expect.poll(() => dialog.getByLabel("Start date").inputValue()).toBe(`01/01/${lastYear}`);
  await expect.poll(() => dialog.getByLabel("End date").inputValue()).toBe(`12/31/${lastYear}`);
  await page.getByText("one row per debit, with its payments and balance. Last made").waitFor();
  await again.click();
  await expect.poll(() => events.inputValue()).toBe("due_on");
  await expect.poll(() => dialog.getByLabel("All time").isChecked()).toBe(true);
  await expect.poll(() => dialog.getByRole("checkbox", { checked: true }).count()).toBe(2);
  await dialog.getByText("Grace Hopper").waitFor();
  await dialog.getByRole("button", { name: "Check all", exact: true }).click();
  await expect.poll(unchecked).toEqual([]);
});

test("a dialog shows what its type offers, and a type without columns is ordered immediately", async () => {
  await openReports();
  await chooseType("Subscription payments");
  await pressCreate();
  const dialog = page.getByRole("dialog");
  await expect.poll(() => dialog.getByRole("radio").count()).toBe(0);
  await dialog.getByLabel("Start date").fill("10/01/2026");
  await dialog.getByLabel("End date").fill("10/31/2026");
  const sent = page.waitForRequest("**/data_export.json");
  await dialog.getByRole("button", { name: "Create Report" }).click();
  expect((await sent).postDataJSON()).toMatchObject({
    range_mode: "range",
    start_date: "10012026",
    end_date: "10312026",
    attorney_id: null,
    time_filter_mode: "submitted_at",
  });
  await dialog.waitFor({ state: "hidden" });

  await chooseType("Balance adjustments");
  await pressCreate();
  await dialog.getByLabel("Start date").waitFor();
  await expect.poll(() => dialog.getByLabel("Event Types").count()).toBe(0);
  await page.keyboard.press("Escape");

  await chooseType("Attorneys");
  await pressCreate();
  await dialog.getByRole("group", { name: "Include" }).waitFor();
  await expect.poll(() => dialog.getByText("Date Range").count()).toBe(0);
  await expect.poll(() => dialog.getByLabel("Filter by").count()).toBe(0);
  const tip = "Attorneys who are suspended or on vacation receive no new referrals";
  await expect.poll(() => dialog.getByTitle(tip).innerText()).toContain("Status");
  await page.keyboard.press("Escape");

  await chooseType("Receivables aging");
  const atOnce = page.waitForRequest("**/data_export.json");
  await pressCreate();
  expect((await atOnce).postDataJSON()).toEqual({ report_type: "receivables_aging", columns: [] });
  await rowOf("Receivables aging").waitFor();
  await expect.poll(() => dialog.count()).toBe(0);
  await expect
    .poll(() => watched.alerts.map((text) => text.split('"')[1]))
    .toEqual(["Subscription payments", "Receivables aging"]);
});

test("a refused report alerts why, and leaves the dialog as it was", async () => {
  await openReports();
  await chooseType("Referrals");
  await pressCreate();
  const dialog = page.getByRole("dialog");
  await dialog.getByLabel("Start date").fill("10/31/2026");
  await dialog.getByLabel("End date").fill("10/01/2026");
  await dialog.getByLabel("Zip").uncheck();
  const answer = await holdAnswer("**/data_export.json");
  await dialog.getByRole("button", { name: "Create Report" }).click();
  await expect
    .poll(() => dialog.getByRole("button", { name: "Working..." }).isDisabled())
    .toBe(true);
  answer();
  await dialog.getByRole("alert").waitFor();
  await expect.poll(() => watched.alerts).toEqual(["Start date must not be after end date."]);
  await expect.poll(() => dialog.getByLabel("Start date").inputValue()).toBe("10/31/2026");
  await expect.poll(unchecked).toEqual(["Zip"]);
  await dialog.getByRole("button", { name: "Uncheck all" }).click();
  await dialog.getByLabel("End date").fill("11/01/2026");
  await dialog.getByRole("button", { name: "Create Report" }).click();
  await dialog.getByRole("link", { name: "Choose at least one column" }).click();
  await expect
    .poll(() => watched.alerts[1])
    .toBe("Choose at least one column to include in the report.");
  await page.keyboard.press("Tab");
  await expect.poll(focusedText).toBe("Check all");
  expect(await barriersOf(page)).toEqual([]);
});

test("a report is scheduled with its contents, and stops when it is removed", async () => {
  await openReports();
  await page.getByText("Nothing is scheduled").waitFor();
  await page.getByRole("button", { name: "Schedule a report" }).click();
  const dialog = page.getByRole("dialog", { name: "Schedule a report" });
  await dialog.getByLabel("Report", { exact: true }).selectOption("Attorneys");
  await expect.poll(() => dialog.getByLabel("Event Types").count()).toBe(0);
  await dialog.getByLabel("Report", { exact: true }).selectOption("Subscription payments");
  await dialog.getByLabel("Event Types").selectOption("Payments confirmed between:");
  await dialog.getByLabel(/^Every week/).check();
  await dialog.getByRole("button", { name: "Uncheck all" }).click();
  await dialog.getByRole("button", { name: "Schedule report" }).click();
  await dialog.getByRole("alert").waitFor();
  await expect
    .poll(() => watched.alerts)
    .toEqual(["Choose at least one column to include in the report."]);
  await dialog.getByLabel("Amount", { exact: true }).first().check();
  await dialog.getByRole("button", { name: "Schedule report" }).click();
  await dialog.waitFor({ state: "hidden" });
  const schedules = page.getByRole("table", { name: "Scheduled reports" });
  await schedules.getByText("Payments confirmed in the previous week").waitFor();
  await page.getByRole("button", { name: "Remove Subscription payments, every week" }).click();
  await page.getByText("Nothing is scheduled").waitFor();
});

/** The open dialog's columns that are not included. */
async function unchecked(): Promise<string[]> {
  return await page
    .getByRole("dialog")
    .getByRole("checkbox", { checked: false })
    .evaluateAll((boxes) =>
      boxes.map((box) =>
        box instanceof HTMLInputElement ? (box.labels?.[0]?.innerText ?? "") : "",
      ),
    );
}

/** Hold back the answers at an address, until the returned function is called. */
async function holdAnswer(url: string): Promise<() => void> {
  const { promise: released, resolve: release } = Promise.withResolvers<void>();
  await page.route(url, async (route) => {
    await released;
    await route.continue();
  });
  return release;
}
