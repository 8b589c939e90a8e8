import { expect } from "vitest";
import { changeSettings } from "#referrals/suspension/contract.ts";
import { makeMatter } from "#tests/support/records/matters.ts";
import { signedIn } from "#tests/support/visitor.ts";
import { app, attorney, network } from "#tests/support/app-test.ts";
import { expectNoBarriers, page, watched } from "#tests/support/page-test.ts";
import {
  heading,
  openAttorney,
  setPausedUntil,
  unpause,
  until,
  vacationTest,
} from "#tests/support/screens/vacation.ts";

const test = vacationTest();

test("a vacation is picked from the calendar, shows everywhere, and is ended with Unpause", async () => {
  await openAttorney();
  await expect.poll(() => unpause().count()).toBe(0);
  await page.getByRole("button", { name: "Open calendar" }).first().click();
  await page.getByRole("dialog", { name: "Calendar" }).getByText("30", { exact: true }).waitFor();
  await page.getByRole("button", { name: "Next month" }).click();
  await page.getByRole("button", { name: "15 December 2026" }).click();
  await page.getByText("Ada Byron is on vacation until 12/15/2026.").waitFor();
  await expect.poll(() => until().inputValue()).toBe("12/15/2026");
  await heading().getByText("On vacation until 12/15/2026").waitFor();

  await page.getByRole("link", { name: "Attorneys" }).click();
  await page.getByRole("row", { name: /Ada Byron.*On vacation until 12\/15\/2026/ }).waitFor();
  await page.getByRole("link", { name: "Ada Byron" }).click();
  await unpause().click();
  await page.getByText("Ada Byron is not on vacation.").waitFor();
  await expect.poll(() => unpause().count()).toBe(0);
  await expect.poll(() => until().inputValue()).toBe("");
  await heading().getByText("Active").waitFor();
  expect(watched.alerts).toEqual([]);
});

test("a suspension is shown apart from a vacation, with its reason", async () => {
  await setPausedUntil("2026-12-15");
  await makeMatter(app.db, network, { attorney, dueOn: "2026-09-01" });
  const admin = await signedIn(app, "admin", network);
  await admin.call(changeSettings, { body: { suspends_overdue_attorneys: true } });
  await openAttorney();
  await heading().getByText("Suspended").waitFor();
  await heading().getByText("On vacation until 12/15/2026").waitFor();
  await page
    .getByRole("region", { name: "Suspended for overdue reports" })
    .getByText("1 status report is more than 60 days late, the oldest due 09/01/2026.")
    .waitFor();
  await page.getByText("The suspension ends automatically once this report is filed.").waitFor();
  await page
    .getByRole("region", { name: /^Suspended/ })
    .getByRole("link")
    .waitFor();
  await expectNoBarriers();
  expect(watched.alerts).toEqual([]);
});
