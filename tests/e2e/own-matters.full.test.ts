import { expect } from "vitest";
import { makeMatter } from "#tests/support/records/matters.ts";
import { app, attorney, network } from "#tests/support/app-test.ts";
import { expectNoBarriers, page, watched } from "#tests/support/page-test.ts";
import {
  openDashboard,
  openReferrals,
  ownMattersTest,
  rowsOf,
  suspendOverdue,
} from "#tests/support/screens/own-matters.ts";

/* Further cases of a lawyer's own referrals; src/referrals/suspension tests what lifts a suspension. */

const test = ownMattersTest();

test("errors in a report are named, and what was typed stays", async () => {
  await makeMatter(app.db, network, { attorney, lastName: "Later" });
  await openReferrals();
  await page.getByRole("button", { name: "File report on Jane Later" }).click();
  const reporting = page.getByRole("dialog", { name: "Report on Jane Later" });
  await reporting.getByLabel("Note").fill("Nobody answers.");
  await reporting.getByRole("button", { name: "File report" }).click();
  await reporting.getByRole("link", { name: "Choose what happened with this referral." }).click();
  await page.keyboard.press("Space");
  await reporting.getByLabel("Fee in dollars").fill("much");
  await reporting.getByRole("button", { name: "File report" }).click();
  await reporting.getByRole("link", { name: /^Fee in dollars must be an amount/ }).waitFor();
  await expect.poll(() => reporting.getByLabel("Note").inputValue()).toBe("Nobody answers.");
  expect(watched.alerts).toEqual([]);
  await expectNoBarriers();
});

test("a filed report is not filed again because the attorney's standing fails to load", async () => {
  const id = await makeMatter(app.db, network, { attorney, lastName: "Late" });
  await openReferrals();
  await page.route("**/matters/mine/standing", (route) =>
    route.fulfill({ status: 429, json: { success: false, object: null, message: "Busy." } }),
  );
  await page.getByRole("button", { name: "File report on Jane Late" }).click();
  const reporting = page.getByRole("dialog", { name: "Report on Jane Late" });
  await reporting.getByLabel("Retained", { exact: true }).check();
  await reporting.getByRole("button", { name: "File report" }).click();
  await page.getByText("Report on Jane Late filed. The next one is due 12/30/2026.").waitFor();
  await reporting.waitFor({ state: "detached" });
  const filed = await app.db
    .selectFrom("matterReports")
    .select("outcome")
    .where("matterId", "=", id)
    .execute();
  expect(filed).toEqual([{ outcome: "retained" }]);
  expect(watched.alerts).toEqual([]);
});

test("filing the last overdue report lifts the suspension, by keyboard only", async () => {
  await makeMatter(app.db, network, { attorney, dueOn: "2026-09-01", lastName: "Oldest" });
  await makeMatter(app.db, network, { attorney, dueOn: "2026-11-20", lastName: "Late" });
  await suspendOverdue();
  await openDashboard();
  const warning = page.getByRole("region", {
    name: "You are suspended and receive no new referrals",
  });
  await warning
    .getByText("1 status report is more than 60 days late, the oldest due 09/01/2026.")
    .waitFor();
  await expectNoBarriers();
  await warning.getByRole("link", { name: "File your reports" }).focus();
  await page.keyboard.press("Enter");
  await page.getByRole("heading", { name: "Overdue reports" }).waitFor();
  await expect
    .poll(() => rowsOf("Overdue reports"))
    .toEqual([
      expect.stringMatching(/^Jane Oldest .* You are suspended until you file it /),
      expect.not.stringContaining("suspended"),
    ]);
  await page.getByRole("button", { name: "File report on Jane Oldest" }).focus();
  await page.keyboard.press("Enter");
  await page.getByRole("dialog", { name: "Report on Jane Oldest" }).getByLabel("Consulted").focus();
  await page.keyboard.press("ArrowUp"); // from the first to the last: Closed
  await page.keyboard.press("Tab");
  await page.keyboard.press("Tab");
  await page.keyboard.press("Tab");
  await page.keyboard.press("Enter");
  await page
    .getByText("Report filed. The referral of Jane Oldest is closed. Your suspension is lifted.")
    .waitFor();
  await warning.waitFor({ state: "hidden" });
  await page.getByRole("region", { name: "You will be suspended on 01/20/2027" }).waitFor();
});
