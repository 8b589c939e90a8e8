import { sql } from "kysely";
import { expect } from "vitest";
import { formatDay } from "#kit/domain/day.ts";
import { notifyOnCommit } from "#kit/db/changes.ts";
import { inTransaction } from "#kit/db/transaction.ts";
import { requestExport } from "#kit/list/reports-contract.ts";
import { admin, app, network } from "#tests/support/app-test.ts";
import { page, watched } from "#tests/support/page-test.ts";
import {
  chooseType,
  focusedText,
  openReports,
  pressCreate,
  reportsTest,
  rowOf,
  today,
} from "#tests/support/screens/reports.ts";

/* Further cases of reports; src/office/reports tests ordering, cancelling and retrying. */

const test = reportsTest();

test("last time's dates come back with the other choices, and only for the same type", async () => {
  await openReports();
  await chooseType("Subscription payments");
  await pressCreate();
  const dialog = page.getByRole("dialog");
  await dialog.getByLabel("Start date").fill("10/01/2026");
  await dialog.getByLabel("End date").fill("10/31/2026");
  await dialog.getByRole("button", { name: "Create Report" }).click();
  await dialog.waitFor({ state: "hidden" });

  await pressCreate();
  await expect.poll(() => dialog.getByLabel("Start date").inputValue()).toBe(formatDay(today));
  await dialog.getByRole("button", { name: "Use last time's choices" }).click();
  await expect.poll(() => dialog.getByLabel("Start date").inputValue()).toBe("10/01/2026");
  await expect.poll(() => dialog.getByLabel("End date").inputValue()).toBe("10/31/2026");
  await page.keyboard.press("Escape");
  await page.getByRole("button", { name: "Discard", exact: true }).click();

  await chooseType("Balance adjustments");
  await pressCreate();
  await dialog.getByLabel("Start date").waitFor();
  await expect
    .poll(() => dialog.getByRole("button", { name: "Use last time's choices" }).count())
    .toBe(0);
});

test("a waiting report can be cancelled and ordered again; its progress updates without a reload", async () => {
  await order("matters");
  await openReports();
  await page.getByRole("button", { name: "Cancel Referrals" }).click();
  await page.getByText("Canceled by Ada Min.").waitFor();
  await page.getByRole("button", { name: "Retry Referrals" }).click();
  await rowOf("Referrals").getByText("Queued").waitFor();
  await setReportState({ status: "running", rowsWritten: 4321, totalRows: 10_000 });
  const progress = page.getByRole("progressbar", { name: "Preparing Referrals" });
  await progress.waitFor();
  await expect.poll(() => progress.getAttribute("value")).toBe("43");
  await expect.poll(() => rowOf("Referrals").innerText()).toMatch(/43%[\s\S]*4,321/);
  await setReportState({ status: "failed", failureReason: "The disk is full. Try again later." });
  await page.getByText("The disk is full. Try again later.").waitFor();
  await page.getByRole("button", { name: "Retry Referrals" }).waitFor();
  expect(watched.alerts).toEqual([]);
});

test("a report can be ordered by keyboard only", async () => {
  await openReports();
  await page.getByLabel("Report type").focus();
  await page.keyboard.type("adj");
  await page.getByRole("option", { name: "Balance adjustments" }).waitFor();
  await page.keyboard.press("Enter");
  await page.keyboard.press("Tab");
  await page.keyboard.press("Enter");
  const dialog = page.getByRole("dialog", { name: "Create custom report: Balance adjustments" });
  await dialog.waitFor();
  await expect
    .poll(() => page.evaluate(() => document.activeElement?.getAttribute("name")))
    .toBe("start_date");
  await page.keyboard.press("Enter"); // as in any form
  await dialog.waitFor({ state: "hidden" });
  await rowOf("Balance adjustments").waitFor();
  await expect.poll(focusedText).toBe("Create report");
});

async function order(report_type: string): Promise<void> {
  const columns = report_type === "matters" || report_type === "attorneys" ? ["first_name"] : [];
  const body = { report_type, columns, range_mode: "all-time" };
  expect((await admin.send("POST", requestExport.path, body)).status).toBe(200);
}

/** What a worker would have made of a report, of one type or of any. */
async function setReportState(
  change: Partial<{
    status: "running" | "failed";
    rowsWritten: number;
    totalRows: number;
    failureReason: string;
  }>,
  reportType = "matters",
): Promise<void> {
  await inTransaction(app.db, async (tx) => {
    await tx
      .updateTable("dataExports")
      .set({ ...change, finishedAt: change.status === "failed" ? sql<string>`now()` : null })
      .where("networkId", "=", network.id)
      .where("reportType", "=", reportType)
      .execute();
    notifyOnCommit(tx, network.id, null, "exports");
  });
}
