import { expect } from "vitest";
import { makeAttorney, makePanel } from "#tests/support/records/attorneys.ts";
import { makePlan } from "#main/demo/records/dues.ts";
import { makeDebit, makeEnrolment } from "#tests/support/records/dues.ts";
import { admin, app, attorney, network } from "#tests/support/app-test.ts";
import { openPage, page, watched } from "#tests/support/page-test.ts";
import {
  addCheck,
  adminDuesTest,
  choosePlan,
  dialog,
  openAttorney,
  openSubscriptions,
  rowOf,
} from "#tests/support/screens/admin-dues.ts";
import { barriersOf, overflowOnPhone } from "#tests/support/watched-page.ts";

const test = adminDuesTest();

test("a plan is created after a message about the missing fields", async () => {
  await openSubscriptions();
  await page.getByText("You have not created any subscriptions").waitFor();
  await page.getByLabel("Name").fill("Panel dues");
  await page.getByLabel("every N month(s)").fill("3");
  await page.getByRole("button", { name: "Create new subscription" }).click();
  await page.getByRole("link", { name: /^Enter the amount owed in dollars/ }).click();
  await page.keyboard.type("$1,250.00");
  await expect.poll(() => page.getByLabel("Name").inputValue()).toBe("Panel dues");
  await page.getByLabel("Description").fill("General panel");
  await page.getByRole("button", { name: "Create new subscription" }).click();
  await page.getByText("Panel dues was created: $1,250.00 every 3 months.").waitFor();
  await expect
    .poll(() => rowOf("Panel dues"))
    .toMatch(/General panel.*\$1,250\.00 every 3 months.*0/);
  await expect.poll(() => page.getByLabel("Name").inputValue()).toBe("");
  expect(await barriersOf(page)).toEqual([]);
  expect(await overflowOnPhone(page)).toBe(0);
  expect(watched.alerts).toEqual([]);
});

test("an attorney is enrolled and billed immediately, as announced; a later start is not billed immediately", async () => {
  await makePlan(app.db, network, { name: "Panel dues", amountCents: 5000 });
  await openAttorney();
  await page.getByText("You do not have any subscriptions").waitFor();
  await page.getByText("This attorney has no outstanding payments.").waitFor();
  const add = page.getByRole("button", { name: "Add subscription" });
  await expect.poll(() => add.isDisabled()).toBe(true);
  await choosePlan("panel");
  await expect.poll(() => page.getByLabel("Start date").inputValue()).toBe("11/30/2026");
  await page
    .getByText("This will bill nothing today, then $50.00 on 12/30/2026, 01/30/2027, 02/28/2027 …")
    .waitFor();
  await page.getByLabel("Bill immediately").check();
  await page
    .getByText("This will bill $50.00 today, then 12/30/2026, 01/30/2027, 02/28/2027 …")
    .waitFor();
  await page.getByLabel("Start date").fill("12/31/2026"); // offered only for a start of today or earlier
  await page.getByText("This will bill nothing today, then $50.00 on 12/31/2026").waitFor();
  await expect.poll(() => page.getByLabel("Bill immediately").count()).toBe(0);
  await page.getByLabel("Start date").fill("11/30/2026");
  await page.getByLabel("Bill immediately").check();
  await page.getByLabel("Note").fill("Harbor office");
  await add.click();
  await page.getByText("Panel dues was added.").waitFor();
  await expect
    .poll(() => rowOf("Harbor office", "Current Subscriptions"))
    .toMatch(/\$50\.00 every month.*11\/30\/2026 next due 12\/30\/2026/);
  await expect
    .poll(() => rowOf("Harbor office", "Outstanding Debits"))
    .toMatch(/11\/30\/2026.*\$50\.00.*No pending payments/);
  await expect.poll(() => add.isDisabled()).toBe(true);
});

test("two checks are decided together, one approved and one denied", async () => {
  await makeDebit(app.db, network, attorney, { amountCents: 5000, dueOn: "2026-10-31" });
  await openAttorney();
  await addCheck("1042", "30");
  await page.getByText("Check 1042 of $30.00 is pending.").waitFor();
  await page.getByRole("button", { name: /^Add check/ }).click();
  await expect.poll(() => dialog("Pay by check").getByLabel("Amount").inputValue()).toBe("20.00");
  await page.keyboard.press("Escape");
  await addCheck("1043", "15.5");
  await page.getByRole("tabpanel").getByText("$45.50 pending").waitFor();

  await page.getByRole("button", { name: /^Confirm check/ }).click();
  const confirming = dialog("Confirm Check");
  await confirming.getByRole("group", { name: "Check 1042, $30.00" }).getByLabel("Approve").check();
  await confirming.getByRole("group", { name: "Check 1043, $15.50" }).getByLabel("Deny").check();
  await confirming.getByRole("button", { name: "Submit" }).click();
  await page.getByText("1 check approved, 1 denied.").waitFor();
  await expect
    .poll(() => rowOf("Panel dues", "Outstanding Debits"))
    .toMatch(/\$20\.00.*No pending payments/);
  await expect
    .poll(() => page.getByRole("table", { name: "Payments" }).innerText())
    .toMatch(/Check 1043[^]*Denied[^]*\$15\.50[^]*Check 1042[^]*Approved[^]*\$30\.00/);
});

test("a balance is adjusted both ways, also by keyboard only, and the adjustments are listed", async () => {
  await makeDebit(app.db, network, attorney, { amountCents: 5000 });
  await openAttorney();
  await expect.poll(() => page.getByRole("button", { name: /^View adjustments/ }).count()).toBe(0);
  await page.getByRole("button", { name: /^Adjust/ }).click();
  await page.getByLabel("Amount in dollars").fill("12.50");
  await page.getByLabel("Note").last().fill("Joined late");
  await page.getByText("The balance goes from $50.00 to $37.50.").waitFor();
  await page.getByRole("button", { name: "Adjust balance" }).click();
  await page.getByText("The balance of Panel dues is now $37.50.").waitFor();

  const adjust = page.getByRole("button", { name: /^Adjust:/ });
  await adjust.focus();
  await page.keyboard.press("Enter");
  await dialog("Adjust balance").waitFor();
  await page.keyboard.press("Escape");
  await dialog("Adjust balance").waitFor({ state: "hidden" });
  await expect
    .poll(() => adjust.evaluate((button) => button === document.activeElement))
    .toBe(true);
  await page.keyboard.press("Enter");
  await page.keyboard.press("ArrowRight"); // from Decrease to Increase
  await page.keyboard.press("Tab");
  await page.keyboard.type("1");
  await page.keyboard.press("Tab");
  await page.keyboard.press("Tab");
  await page.keyboard.press("Enter");
  await page.getByText("The balance of Panel dues is now $38.50.").waitFor();

  await page.getByRole("button", { name: /^View adjustments/ }).click();
  const adjustments = await dialog("Adjustments").innerText();
  expect(adjustments).toMatch(/decreased by \$12\.50\s+Joined late/);
  expect(adjustments).toMatch(/increased by \$1\.00\s+Not provided/);
});

test("unsubscribing asks first, ends the enrolment and keeps what is owed", async () => {
  const plan = await makePlan(app.db, network);
  await makeEnrolment(app.db, attorney, plan, {
    startDate: "2026-12-31",
    enrolledOn: "2026-11-30",
  });
  await makeDebit(app.db, network, attorney, { planName: "Old dues" });
  await openAttorney();
  await page.getByRole("button", { name: /^Unsubscribe from Panel dues/ }).click();
  await page.getByText("Unsubscribed from Panel dues.").waitFor();
  await expect
    .poll(() => watched.alerts)
    .toEqual([
      "Unsubscribe from Panel dues, start date 12/31/2026? This cannot be undone. Nothing more is billed, and any balance stays owed.",
    ]);
  const current = page.getByRole("table", { name: "Current Subscriptions" });
  await expect.poll(() => current.getByRole("rowheader").allInnerTexts()).toEqual(["Old dues"]);
  await expect.poll(() => rowOf("Old dues", "Outstanding Debits")).toContain("$50.00");
});

test("archiving asks the specification's question and removes the plan from the list", async () => {
  const plan = await makePlan(app.db, network, { name: "Panel dues" });
  await makeEnrolment(app.db, attorney, plan, {
    startDate: "2026-12-31",
    enrolledOn: "2026-11-30",
  });
  await openSubscriptions();
  await page.getByRole("button", { name: "Archive Panel dues" }).click();
  await page.getByText("You have not created any subscriptions").waitFor();
  await expect
    .poll(() => watched.alerts)
    .toEqual([
      "You sure about this? Archiving this subscription will also irreversibly unsubscribe all attorneys from it.",
    ]);
  await openAttorney();
  await page.getByText("You do not have any subscriptions").waitFor();
});

test("all lawyers are subscribed after the dialog said in numbers what will be billed", async () => {
  const plan = await makePlan(app.db, network, { name: "Panel dues", amountCents: 5000 });
  await makePanel(app.db, network, 211);
  const enrolled = await makeAttorney(app.db, network);
  await makeEnrolment(app.db, enrolled, plan, {
    startDate: "2026-12-31",
    enrolledOn: "2026-11-30",
  });
  await openSubscriptions();
  await page.getByRole("button", { name: "Subscribe all lawyers to Panel dues" }).click();
  const subscribing = dialog("Subscribe all lawyers to Panel dues");
  await subscribing.getByLabel("Start date").fill("10/31/2026");
  await subscribing.getByText("Subscribe 212 attorneys and bill nothing today").waitFor(); // the dialog grows by it
  await subscribing.getByLabel("Bill immediately").check();
  await subscribing
    .getByText(
      "Subscribe 212 attorneys and bill $10,600.00 today, then 12/31/2026, 01/31/2027, 02/28/2027 …",
    )
    .waitFor();
  await subscribing.getByText("1 attorney is already subscribed and will not change.").waitFor();
  await subscribing.getByRole("button", { name: "Submit" }).click();
  await page
    .getByText(
      "Panel dues: 212 attorneys subscribed now, 1 attorney already subscribed. 212 debits of $50.00 were created.",
    )
    .waitFor();
  await expect.poll(() => rowOf("Panel dues")).toContain("213");

  await page.getByRole("button", { name: "Subscribe all lawyers to Panel dues" }).click();
  await subscribing
    .getByText(
      "213 attorneys are already subscribed. No one will be added, and nothing will be billed.",
    )
    .waitFor();
});

test("what is typed in a row stays when its list fails to refresh, and when it refreshes again", async () => {
  await makePlan(app.db, network, { name: "Panel dues" });
  await openPage({ visitor: admin, mayComplain: true });
  await openSubscriptions();
  await page.getByRole("button", { name: "Subscribe all lawyers to Panel dues" }).click();
  const note = dialog("Subscribe all lawyers to Panel dues").getByLabel("Note");
  await note.fill("As the board decided");
  const failure = page.getByText("Your Subscriptions could not be refreshed");
  const plans = /\/lrs_subscriptions\/(\?|$)/;
  await page.route(plans, (route) => route.abort());
  await returnToTab();
  await failure.waitFor();
  expect(await note.inputValue()).toBe("As the board decided");
  await page.unroute(plans);
  await returnToTab();
  await failure.waitFor({ state: "detached" });
  expect(await note.inputValue()).toBe("As the board decided");
});

/** As when someone comes back to the tab: its data is fetched again. */
async function returnToTab(): Promise<void> {
  await page.evaluate(() => window.dispatchEvent(new Event("visibilitychange")));
}
