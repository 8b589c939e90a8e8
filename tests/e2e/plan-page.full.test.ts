import { expect } from "vitest";
import { subscribeAll } from "#dues/plans/contract.ts";
import { makePanel } from "#tests/support/records/attorneys.ts";
import { makePlan } from "#main/demo/records/dues.ts";
import { admin, app, network } from "#tests/support/app-test.ts";
import { expectNoBarriers, openPage, page } from "#tests/support/page-test.ts";
import { planPageTest, subscribeAllOnScreen, terms } from "#tests/support/screens/plan-page.ts";

/* Further ways to undo Subscribe all; undo-subscribe-all.test.ts tests what it reverses. */

const test = planPageTest();

test("a Subscribe all is undone from its notice, after the numbers are shown", async () => {
  await makePlan(app.db, network, { name: "Panel dues", amountCents: 120_00 });
  await makePanel(app.db, network, 20);
  await page.goto("/admin/subscriptions");
  await subscribeAllOnScreen();
  await page.getByText("Panel dues: 20 attorneys subscribed now").waitFor();
  await page.getByRole("button", { name: "Undo Subscribe all to Panel dues" }).click();
  await page.getByText("End 20 enrolments and reverse $2,400.00 of debits.").waitFor();
  await page.getByRole("button", { name: "Cancel" }).click();
  await page.getByRole("button", { name: "Undo Subscribe all to Panel dues" }).click();
  await page.getByRole("button", { name: "Undo Subscribe all", exact: true }).click();
  const done =
    "Subscribe all to Panel dues was undone: 20 enrolments ended, $2,400.00 of debits reversed.";
  await page.getByText(done).waitFor();
  await expect
    .poll(rows)
    .toContain("Panel dues $120.00 every month 0 Subscribe all lawyers Archive");
  await expect.poll(() => page.getByRole("button", { name: /^Undo/ }).count()).toBe(0);
});

test("more than a thousand enrolments cannot be ended together, and the page says so", async () => {
  const plan = await makePlan(app.db, network, { name: "Panel dues" });
  await makePanel(app.db, network, 1001);
  await admin.call(subscribeAll, { body: terms(plan.id) });
  await page.goto(`/admin/plans/${plan.id}`);
  for (let chosen = 50; chosen <= 1050; chosen += 50) {
    await page.getByText(new RegExp(`^${(chosen - 49).toLocaleString("en-US")}–`)).waitFor();
    await page.getByRole("checkbox", { name: /^Choose all on this page/ }).check();
    if (chosen < 1050) await page.getByRole("link", { name: "Next" }).click();
  }
  await page.getByRole("button", { name: "End 1,001 enrolments" }).click();
  await page.getByText("You can end at most 1,000 enrolments at a time").waitFor();
  await expectNoBarriers();
});

test("Activity offers the undo as long as it is possible", async () => {
  const plan = await makePlan(app.db, network, { name: "Panel dues" });
  await makePanel(app.db, network, 2);
  await admin.call(subscribeAll, { body: terms(plan.id) });
  await page.goto("/admin/activity");
  await page.getByRole("button", { name: "Undo Subscribe all to Panel dues" }).click();
  await page.getByText("End 2 enrolments and reverse $100.00 of debits.").waitFor();
  await page.getByRole("button", { name: "Undo Subscribe all", exact: true }).click();
  await page.getByRole("row", { name: /Undid Subscribe all/ }).waitFor();
  await expect.poll(() => page.getByRole("button", { name: /^Undo/ }).count()).toBe(0);
});

test("the undo reads from the left on a phone too, although a card of the table offers it", async () => {
  const plan = await makePlan(app.db, network, { name: "Panel dues" });
  await makePanel(app.db, network, 2);
  await admin.call(subscribeAll, { body: terms(plan.id) });
  await openPage({ visitor: admin, isPhone: true });
  await page.goto(`/admin/plans/${plan.id}`);
  await page.getByRole("button", { name: "Undo Subscribe all to Panel dues" }).tap();
  const consequence = page.getByText("End 2 enrolments and reverse $100.00 of debits.");
  await consequence.waitFor();
  expect(await consequence.evaluate((text) => getComputedStyle(text).textAlign)).toBe("start");
});

async function rows(): Promise<string[]> {
  const texts = await page.locator("tbody tr").allInnerTexts();
  return texts.map((text) => text.replaceAll(/\s+/g, " ").trim());
}
