import { expect, onTestFinished } from "vitest";
import { cents } from "#domain/money.ts";
import { newClient } from "#db/database.ts";
import { lockOf } from "#db/locks.ts";
import { makeAttorney, makePanel } from "#features/demo/records/attorneys.ts";
import { makeDebit, makeEnrolment, makePlan } from "#features/demo/records/dues.ts";
import { barriersOf, overflowOnPhone } from "#tests/support/watched-page.ts";
import { app, attorney, network } from "#tests/support/app-test.ts";
import { page, pageTest, watched } from "#tests/support/page-test.ts";

/** Noon of 11/30/2026 in the network's time zone, for the server and the browser alike. */
const clock = "2026-11-30T17:00:00Z";

/** What someone may type that has no place to break. */
const longWord = "Unbreakable".repeat(12);

const test = pageTest({
  clock,
  network: {},
  attorney: { firstName: "Ada", lastName: "Byron" },
  by: "admin",
});

test("a plan is created, once what is missing has been said", async () => {
  await openSubscriptions();
  await page.getByText("You have not created any subscriptions").waitFor();
  await page.getByLabel("Name").fill("Panel dues");
  await page.getByLabel("every N month(s)").fill("3");
  await page.getByRole("button", { name: "Create new subscription" }).click();
  await page.getByRole("link", { name: /^Enter an amount owed, from 0.01 to/ }).click();
  await page.keyboard.type("$1,250.00");
  await expect.poll(() => page.getByLabel("Name").inputValue()).toBe("Panel dues");
  await page.getByLabel("Description").fill("General panel");
  await page.getByRole("button", { name: "Create new subscription" }).click();
  await page.getByText("Panel dues is created: $1,250.00 every 3 months.").waitFor();
  await expect
    .poll(() => rowOf("Panel dues"))
    .toMatch(/General panel.*\$1,250\.00 every 3 months.*0/);
  await expect.poll(() => page.getByLabel("Name").inputValue()).toBe("");
  expect(watched.alerts).toEqual([]);
});

test("an attorney is enrolled and billed at once, as was said before; a later start is not billed at once", async () => {
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
  await page.getByLabel("Start date").fill("12/31/2026"); // offered for a start of today or earlier only
  await page.getByText("This will bill nothing today, then $50.00 on 12/31/2026").waitFor();
  await expect.poll(() => page.getByLabel("Bill immediately").count()).toBe(0);
  await page.getByLabel("Start date").fill("11/30/2026");
  await page.getByLabel("Bill immediately").check();
  await page.getByLabel("Note").fill("Harbor office");
  await add.click();
  await page.getByText("Panel dues is added.").waitFor();
  await expect
    .poll(() => rowOf("Harbor office", "Current Subscriptions"))
    .toMatch(/\$50\.00 every month.*11\/30\/2026 next due 12\/30\/2026/);
  await expect
    .poll(() => rowOf("Harbor office", "Outstanding Debits"))
    .toMatch(/11\/30\/2026.*\$50\.00.*No pending payments/);
  await expect.poll(() => add.isDisabled()).toBe(true);
});

test("of two checks one is approved and one denied, together", async () => {
  await makeDebit(app.db, network, attorney, { amountCents: 5000, dueOn: "2026-10-31" });
  await openAttorney();
  await addCheck("1042", "30");
  await page.getByText("Check 1042 of $30.00 awaits confirmation.").waitFor();
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

test("a refused check alerts, and what was typed stays; where all of a debit is pending, no check can be added, and that is said", async () => {
  await makeDebit(app.db, network, attorney, { amountCents: 5000 });
  await openAttorney();
  await expect
    .poll(() => rowOf("Panel dues", "Outstanding Debits"))
    .not.toContain("All of it is pending");
  await addCheck("1042", "50.01");
  const refusal = /^At most \$50\.00 can be paid/;
  await dialog("Pay by check").getByText(refusal).waitFor();
  await expect.poll(() => watched.alerts).toEqual([expect.stringMatching(refusal)]);
  await expect.poll(() => page.getByLabel("Check number").inputValue()).toBe("1042");
  await expect.poll(() => dialog("Pay by check").getByLabel("Amount").inputValue()).toBe("50.01");

  await dialog("Pay by check").getByLabel("Amount").fill("50");
  await dialog("Pay by check").getByRole("button", { name: "Add check" }).click();
  await page.getByText("Check 1042 of $50.00 awaits confirmation.").waitFor();
  await expect
    .poll(() => rowOf("Panel dues", "Outstanding Debits"))
    .toMatch(/Add check All of it is pending Confirm check/);
  await page.getByRole("button", { name: /^Add check/ }).click();
  await dialog("Pay by check")
    .getByText(
      "No check can be added now: $50.00 is owed, all of which awaits confirmation. Confirm or deny what is pending first.",
    )
    .waitFor();
  await expect.poll(() => dialog("Pay by check").getByRole("textbox").count()).toBe(0);
  expect(await barriers()).toEqual([]);
  await page.keyboard.press("Escape");
  await page.getByRole("button", { name: /^Adjust:/ }).click();
  await dialog("Adjust balance").getByText("it can be decreased by at most $0.00").waitFor();
  expect(watched.alerts).toHaveLength(1); // of the refusal
});

test("a balance is adjusted both ways, also by keyboard alone, and the adjustments can be read", async () => {
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
  expect(adjustments).toMatch(/increased by \$1\.00\s+No note/);
});

test("unsubscribing is asked for, ends the enrolment and leaves what is owed", async () => {
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
      "Unsubscribe from Panel dues, start date 12/31/2026? This cannot be undone: nothing more is billed, and what is owed stays owed.",
    ]);
  const current = page.getByRole("table", { name: "Current Subscriptions" });
  await expect.poll(() => current.getByRole("rowheader").allInnerTexts()).toEqual(["Old dues"]);
  await expect.poll(() => rowOf("Old dues", "Outstanding Debits")).toContain("$50.00");
});

test("archiving asks the question of the specification, and takes the plan off the list", async () => {
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

test("all lawyers are subscribed after it was said in numbers what that will bill", async () => {
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
  await subscribing.getByLabel("Bill immediately").check();
  await subscribing
    .getByText(
      "Subscribe 212 lawyers and bill $10,600.00 today, then 12/31/2026, 01/31/2027, 02/28/2027 …",
    )
    .waitFor();
  await subscribing
    .getByText("1 lawyer is subscribed already: nothing changes for them.")
    .waitFor();
  await subscribing.getByRole("button", { name: "Submit" }).click();
  await page
    .getByText(
      "Panel dues: 212 lawyers subscribed now, 1 lawyer subscribed already. 212 debits of $50.00 were created.",
    )
    .waitFor();
  await expect.poll(() => rowOf("Panel dues")).toContain("213");

  await page.getByRole("button", { name: "Subscribe all lawyers to Panel dues" }).click();
  await subscribing
    .getByText("213 lawyers are subscribed already: nobody will be added and nothing billed.")
    .waitFor();
});

test("billing runs are shown with what failed, and what is due but not billed beside them", async () => {
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
      "11/30/2026, 12:05 AM 11/30/2026 0 $0.00 Not finished Interrupted What it has not billed, the next run bills.",
      "11/29/2026, 12:05 AM 11/29/2026 0 $0.00 2.5 s 1 part failed the disk was full",
      "11/28/2026, 12:05 AM 11/28/2026 3 $150.00 2.5 s Complete",
    ]);
  await biller.end(); // as if its process had died; the page finds out by itself
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

test("nobody is kept out of the subscriptions, in light, in dark and on a phone", async () => {
  await makePlan(app.db, network, { name: longWord, description: longWord });
  await openSubscriptions();
  const found = await barriers({ inDark: true });
  await page.getByRole("button", { name: /^Subscribe all lawyers/ }).click();
  await page.getByText(/^Subscribe 1 lawyer/).waitFor();
  expect([...found, ...(await barriers())]).toEqual([]);
});

test("nobody is kept out of an attorney's dues, in light, in dark and on a phone, where an enrolment shows its next twelve dates", async () => {
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
  await page.getByText("that month has no day 31, so its last day").first().waitFor();
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

async function openSubscriptions(): Promise<void> {
  await page.goto("/admin/subscriptions");
  await page.getByRole("heading", { name: "Your Subscriptions" }).waitFor();
}

async function openAttorney(): Promise<void> {
  await page.goto(`/admin/attorneys/${attorney.id}`);
  await page.getByRole("heading", { name: "Ada Byron" }).waitFor();
}

async function choosePlan(typed: string): Promise<void> {
  const select = page.getByRole("combobox", { name: "Subscription" });
  await select.fill(typed);
  await page.getByRole("option").first().waitFor(); // plans come after the attorney
  await select.press("Enter");
}

async function addCheck(number: string, amount: string): Promise<void> {
  await page.getByRole("button", { name: /^Add check/ }).click();
  await dialog("Pay by check").getByLabel("Check number").fill(number);
  await dialog("Pay by check").getByLabel("Amount").fill(amount);
  await dialog("Pay by check").getByRole("button", { name: "Add check" }).click();
}

function dialog(title: string) {
  return page.getByRole("dialog", { name: title });
}

/** What the first row with this text reads, the spaces made even. */
async function rowOf(text: string, table = "Your Subscriptions"): Promise<string> {
  const rows = page.getByRole("table", { name: table }).getByRole("row");
  return oneLine(await rows.filter({ hasText: text }).first().innerText());
}

const oneLine = (text: string) => text.replace(/\s+/g, " ").trim();

/** What keeps people out of the screen, or of the dialog that is open. */
async function barriers(more: { inDark?: boolean } = {}): Promise<string[]> {
  const overflow = await overflowOnPhone(page);
  const found = await barriersOf(page, more);
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
