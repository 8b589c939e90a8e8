import { expect, onTestFinished } from "vitest";
import { cents } from "#kit/domain/money.ts";
import { newClient } from "#kit/db/database.ts";
import { lockOf } from "#kit/db/locks.ts";
import { makePlan } from "#main/demo/records/dues.ts";
import { makeDebit, makeEnrolment } from "#tests/support/records/dues.ts";
import { barriersOf, overflowOnPhone } from "#tests/support/watched-page.ts";
import { app, attorney, network } from "#tests/support/app-test.ts";
import { page, watched } from "#tests/support/page-test.ts";
import {
  addCheck,
  adminDuesTest,
  choosePlan,
  dialog,
  oneLine,
  openAttorney,
  openSubscriptions,
  rowOf,
} from "#tests/support/screens/admin-dues.ts";

/*
 * Further cases of the administrators' dues screens. src/payments tests which checks are refused,
 * src/dues/ledger and tests/resilience/billing-killed.test.ts how billing runs end.
 */

/** A long word without a place to break the line. */
const longWord = "Unbreakable".repeat(12);

const test = adminDuesTest();

test("a refused check shows an alert and keeps what was typed; when a debit is fully pending, the page says so and offers no check", async () => {
  await makeDebit(app.db, network, attorney, { amountCents: 5000 });
  await openAttorney();
  await expect.poll(() => rowOf("Panel dues", "Outstanding Debits")).not.toContain("All pending");
  await addCheck("1042", "50.01");
  const refusal = /^At most \$50\.00 can be paid/;
  await dialog("Pay by check").getByText(refusal).waitFor();
  await expect.poll(() => watched.alerts).toEqual([expect.stringMatching(refusal)]);
  await expect.poll(() => page.getByLabel("Check number").inputValue()).toBe("1042");
  await expect.poll(() => dialog("Pay by check").getByLabel("Amount").inputValue()).toBe("50.01");

  await dialog("Pay by check").getByLabel("Amount").fill("50");
  await dialog("Pay by check").getByRole("button", { name: "Add check" }).click();
  await page.getByText("Check 1042 of $50.00 is pending.").waitFor();
  await expect
    .poll(() => rowOf("Panel dues", "Outstanding Debits"))
    .toMatch(/Add check All pending Confirm check/);
  await page.getByRole("button", { name: /^Add check/ }).click();
  await dialog("Pay by check")
    .getByText(
      "No check can be added now. $50.00 is owed, all pending. Confirm or deny the pending checks first.",
    )
    .waitFor();
  await expect.poll(() => dialog("Pay by check").getByRole("textbox").count()).toBe(0);
  expect(await barriers()).toEqual([]);
  await page.keyboard.press("Escape");
  await page.getByRole("button", { name: /^Adjust:/ }).click();
  await dialog("Adjust balance").getByText("You can decrease it by at most $0.00").waitFor();
  expect(watched.alerts).toHaveLength(1); // the alert of the refusal
});

test("billing runs show what failed, beside the list of dues not yet billed", async () => {
  const made = await app.db
    .insertInto("billingRuns")
    .values([
      { ...aRun("2026-11-28"), debits: 3, amountCents: cents(15_000) },
      { ...aRun("2026-11-29"), failures: 1, failureReason: "the disk was full" },
      { ...aRun("2026-11-30"), finishedAt: null },
      { ...aRun("2026-11-30"), finishedAt: null },
    ])
    .returning("id")
    .execute();
  const biller = newClient(app.connectionString, "billing run of a test", { statementMs: 10_000 });
  onTestFinished(() => biller.end());
  await biller.connect();
  await biller.query("select pg_advisory_lock($1, hashint8(hashint8extended($2, $3)))", [
    lockOf.billingRun,
    made.at(-1)?.id,
    network.id,
  ]);
  await openSubscriptions();
  const rows = page.getByRole("table", { name: "Billing runs" }).getByRole("row");
  await expect
    .poll(async () => (await rows.allInnerTexts()).map(oneLine))
    .toEqual([
      "Started As of Debits Amount Duration Result",
      "11/30/2026, 12:05 AM 11/30/2026 0 $0.00 Not finished Running",
      "11/30/2026, 12:05 AM 11/30/2026 0 $0.00 Not finished Interrupted The next run bills the rest.",
      "11/29/2026, 12:05 AM 11/29/2026 0 $0.00 2.5 s 1 part failed the disk was full",
      "11/28/2026, 12:05 AM 11/28/2026 3 $150.00 2.5 s Complete",
    ]);
  await biller.end(); // as if its process had died; the page notices without a reload
  const interrupted = () => page.getByText("Interrupted", { exact: true }).count();
  await expect.poll(interrupted, { timeout: 30_000 }).toBe(2);

  const plan = await makePlan(app.db, network, { name: "Panel dues" });
  await makeEnrolment(app.db, attorney, plan, {
    startDate: "2026-11-15",
    enrolledOn: "2026-11-01",
  });
  await page.getByRole("link", { name: "Due but not billed" }).click();
  const missed = page.getByRole("table", { name: "Due but not billed" });
  await missed.getByRole("link", { name: "Ada Byron" }).waitFor();
  await expect
    .poll(async () => oneLine(await missed.innerText()))
    .toContain("Ada Byron Panel dues 11/15/2026 $50.00");
});

test("an attorney's dues have no accessibility barriers in light, dark and on a phone; an enrolment shows its next twelve dates", async () => {
  const plan = await makePlan(app.db, network);
  await makeEnrolment(app.db, attorney, plan, { startDate: "2026-12-31", note: longWord });
  await makeDebit(app.db, network, attorney, { planName: "Old dues", note: longWord });
  await openAttorney();
  await choosePlan("panel");
  const found = await barriers();
  await page.getByRole("button", { name: /^Upcoming dues of Panel dues/ }).click();
  const dates = dialog("Upcoming dues of Panel dues").getByRole("rowheader");
  await dates.first().waitFor();
  await expect
    .poll(async () => (await dates.allInnerTexts()).slice(0, 3))
    .toEqual(["12/31/2026", "01/31/2027", "02/28/2027"]);
  await expect.poll(() => dates.count()).toBe(12);
  await page.getByText("That month has no day 31, so it is due on the last day.").first().waitFor();
  found.push(...(await barriers()));
  await page.keyboard.press("Escape");
  await addCheck("1042", "");
  await page.getByRole("alert").waitFor();
  found.push(...(await barriers()));
  await page.keyboard.press("Escape");
  await page.getByRole("button", { name: "Discard", exact: true }).click();
  await addCheck("1042", "10");
  await page.getByRole("button", { name: /^Confirm check/ }).click();
  found.push(...(await barriers()));
  await page.keyboard.press("Escape");
  await page.getByRole("button", { name: /^Adjust/ }).click();
  await page.getByLabel("Amount in dollars").fill("1");
  found.push(...(await barriers()));
  await page.getByRole("button", { name: "Adjust balance" }).click();
  await page.getByRole("button", { name: /^View adjustments/ }).click();
  found.push(...(await barriers()));
  expect(found).toEqual([]);
});

/** Accessibility barriers of the screen, or of the open dialog. */
async function barriers(): Promise<string[]> {
  const overflow = await overflowOnPhone(page);
  const found = await barriersOf(page);
  return overflow > 0 ? [...found, `${overflow} px too wide for a phone`] : found;
}

/** A billing run that began five minutes past midnight in the network's time zone. */
function aRun(asOf: string) {
  return {
    networkId: network.id,
    asOf,
    startedBy: "Daily billing",
    startedAt: `${asOf}T05:05:00Z`,
    finishedAt: `${asOf}T05:05:02.500Z`,
  };
}
