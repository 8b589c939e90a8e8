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

const test = ownMattersTest();

test("overdue reports are listed first, with what happens if they are not filed", async () => {
  await suspendOverdue();
  await makeMatter(app.db, network, { attorney, dueOn: "2026-12-20", lastName: "Later" });
  await makeMatter(app.db, network, { attorney, dueOn: "2026-11-30", lastName: "Today" });
  await makeMatter(app.db, network, { attorney, dueOn: "2026-11-20", lastName: "Late" });
  await makeMatter(app.db, network, { attorney, dueOn: "2026-10-02", lastName: "Oldest" });
  await openReferrals();
  const warning = page.getByRole("region", { name: "You will be suspended on 12/02/2026" });
  await warning.getByText("2 status reports are overdue.").waitFor();
  await expect
    .poll(() => rowsOf("Overdue reports"))
    .toEqual([
      expect.stringMatching(
        /^Jane Oldest .* 59 days overdue You will be suspended on 12\/02\/2026 /,
      ),
      expect.stringMatching(/^Jane Late .* 10 days overdue You will be suspended on 01\/20\/2027 /),
    ]);
  await expect
    .poll(() => rowsOf("Open referrals"))
    .toEqual([
      expect.stringMatching(/^Jane Today .* 11\/30\/2026 Due today /),
      expect.stringMatching(/^Jane Later .* 12\/20\/2026 /),
    ]);
});

test("a report is filed on a phone, and the referral moves to its new group", async () => {
  await makeMatter(app.db, network, { attorney, dueOn: "2026-11-20", lastName: "Late" });
  await makeMatter(app.db, network, { attorney, dueOn: "2026-12-20", lastName: "Next" });
  await openReferrals({ isPhone: true });
  await page.getByRole("button", { name: "File report on Jane Late" }).tap();
  const reporting = page.getByRole("dialog", { name: "Report on Jane Late" });
  await reporting.getByLabel("Retained", { exact: true }).check();
  await reporting.getByLabel("Fee in dollars").fill("$1,250");
  await reporting.getByLabel("Note").fill("Signed today.");
  await reporting.getByRole("button", { name: "File report" }).tap();
  await page.getByText("Report on Jane Late filed. The next one is due 12/30/2026.").waitFor();
  await expect.poll(() => page.getByRole("table", { name: "Overdue reports" }).count()).toBe(0);
  await expect
    .poll(() => rowsOf("Open referrals"))
    .toEqual([
      expect.stringMatching(/^Jane Next /),
      expect.stringMatching(/^Jane Late .* 12\/30\/2026 /),
    ]);
  await page.getByRole("button", { name: "Details of Jane Late" }).tap();
  const details = page.getByRole("dialog", { name: "Jane Late" });
  await details.getByText("Signed today.").waitFor();
  await details.getByText("$1,250.00").waitFor();
  await expectNoBarriers();
  expect(watched.alerts).toEqual([]);
});

test("the dashboard lists overdue reports, also where suspensions are off", async () => {
  await makeMatter(app.db, network, { attorney, dueOn: "2026-11-29" });
  await openDashboard();
  await page.getByText("1 report is overdue").waitFor();
  await page.getByRole("link", { name: "File it" }).waitFor();
  await app.db
    .updateTable("attorneys")
    .set({ pausedUntil: "2026-12-15" })
    .where("id", "=", attorney.id)
    .execute();
  await page.reload();
  await page.getByRole("region", { name: "You are on vacation until 12/15/2026" }).waitFor();
  await page.getByRole("link", { name: "Referrals", exact: true }).click();
  await page.getByRole("heading", { name: "Referrals", exact: true }).waitFor();
  await expect
    .poll(() => page.getByRole("link", { name: "Dashboard" }).getAttribute("aria-current"))
    .toBe(null);
});
