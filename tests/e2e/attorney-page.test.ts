import type { Locator } from "playwright-core";
import { expect } from "vitest";
import { makePlan } from "#main/demo/records/dues.ts";
import { makeMatter } from "#tests/support/records/matters.ts";
import { changeSettings } from "#referrals/suspension/contract.ts";
import { admin, app, attorney, lawyer, network } from "#tests/support/app-test.ts";
import { cardOf } from "#tests/support/card-browser.ts";
import { typeCard } from "#tests/support/card-page.ts";
import { expectNoBarriers, openPage, page, watched } from "#tests/support/page-test.ts";
import { attorneyPageTest, oneLine, owing } from "#tests/support/screens/attorney-page.ts";
import { barriersOf, overflowOnPhone } from "#tests/support/watched-page.ts";

/* An attorney's standing at a glance: on the administrator's page, and on the lawyer's phone. */

const test = attorneyPageTest();

test("one line shows an attorney's standing, a suspension links to its reason, and tabs hold the rest", async () => {
  await owing();
  await makeMatter(app.db, network, { attorney, dueOn: "2026-09-01", lastName: "Oldest" });
  await makeMatter(app.db, network, { attorney, dueOn: "2026-11-20", lastName: "Late" });
  await makeMatter(app.db, network, { attorney, dueOn: "2026-12-20", lastName: "Early" });
  await admin.call(changeSettings, { body: { suspends_overdue_attorneys: true } });
  await openPage({ visitor: admin });
  await page.goto(`/admin/attorneys/${attorney.id}`);
  const strip = page.getByRole("list", { name: "At a glance" });
  await expect
    .poll(async () => (await strip.getByRole("listitem").allInnerTexts()).map(oneLine))
    .toEqual([
      "Owes $225.50",
      "$50.00 pending",
      "credit $0.00",
      "next bill $110.00 on 12/01/2026",
      "3 open referrals, 2 overdue",
    ]);
  const cause = page.getByRole("region", { name: "Suspended for overdue reports" });
  await expect.poll(() => cause.getByRole("link").allInnerTexts()).toEqual(["Jane Oldest"]);
  await cause.getByText("90 days overdue").waitFor();
  // The specification's whole panel and the picker, without a press.
  await page.getByLabel("Vacation until:").waitFor();
  await page.getByRole("table", { name: "Current Subscriptions" }).waitFor();
  await page.getByRole("table", { name: "Outstanding Debits" }).waitFor();
  const select = page.getByRole("combobox", { name: "Subscription" });
  await select.fill("panel dues ($75");
  await page.getByRole("option").first().waitFor();
  await select.press("Enter");
  const warning = page.getByRole("region", { name: "Already subscribed" });
  await warning.getByText("start date 12/01/2026 (Harbor office)").waitFor();
  await expect
    .poll(() => page.getByRole("button", { name: "Add subscription" }).isEnabled())
    .toBe(true);
  await expectNoBarriers();

  await strip.getByRole("link", { name: "2 overdue" }).click();
  const referrals = page.getByRole("table", { name: "Referrals" });
  await expect
    .poll(() => referrals.getByRole("rowheader").allInnerTexts())
    .toEqual(["Jane Oldest", "Jane Late"]);
  await expectNoBarriers();
  await page.getByRole("tab", { name: "Referrals" }).press("ArrowRight");
  await page.getByRole("region", { name: "Contact details" }).waitFor();
  expect(new URL(page.url()).search).toBe("?view=details");
  await page.keyboard.press("End");
  await page.getByRole("table", { name: "History" }).waitFor();
  await page.reload();
  await page.getByRole("table", { name: "History" }).waitFor();
  await page.goBack();
  await page.getByRole("region", { name: "Contact details" }).waitFor();
  expect(watched.alerts).toEqual([""]); // the browser's own at the reload: a subscription was chosen under Money
});

test("in a loaded list Enter chooses the best match, even if another was listed first", async () => {
  await makePlan(app.db, network, { name: "Course" });
  await makePlan(app.db, network, { name: "Concourse" }); // the newest is listed first
  await openPage({ visitor: admin });
  await page.goto(`/admin/attorneys/${attorney.id}`);
  const select = page.getByRole("combobox", { name: "Subscription" });
  await select.press("ArrowDown");
  await page.getByRole("option", { name: /^Concourse/ }).waitFor();
  await select.pressSequentially("course");
  await expect
    .poll(async () =>
      (await page.getByRole("option").allInnerTexts()).map((text) => text.split(" ")[0]),
    )
    .toEqual(["Course", "Concourse"]);
  await select.press("Enter");
  await page
    .getByRole("main")
    .getByText(/^Course \(/)
    .waitFor();
});

test("a lawyer pays everything on a phone with two taps and the card", async () => {
  await owing();
  await makeMatter(app.db, network, { attorney, dueOn: "2026-11-20" });
  await openPage({ visitor: lawyer, isPhone: true });
  await page.goto("/dashboard");
  const summary = page.getByRole("region", { name: "What you owe" });
  await expect
    .poll(async () => oneLine(await summary.innerText()))
    .toBe(
      "You owe $225.50 $50.00 pending Next bill: $110.00 on 12/01/2026 Pay $175.50 1 report is overdue File it",
    );
  // A debit is one line: its name and date, its balance and its field overlap in height.
  const rows = page.getByRole("table", { name: "Owed" }).locator("tbody tr");
  const isOneLine = await rows.evaluateAll((all) =>
    all.map((row) => {
      const parts = [...row.querySelectorAll("th, [data-label=Balance], [data-label=Payment]")];
      const boxes = parts.map((part) => {
        if (getComputedStyle(part).display !== "contents") return part.getBoundingClientRect();
        const amounts = [...part.querySelectorAll("*")].map((one) => one.getBoundingClientRect());
        return amounts.find(({ height }) => height > 0) ?? part.getBoundingClientRect(); // the cell has no box
      });
      const lowestTop = Math.max(...boxes.map(({ top }) => top));
      return boxes.every(({ bottom }) => bottom > lowestTop);
    }),
  );
  expect(isOneLine).toEqual([true, true, true]);
  expect(await rows.first().getByText("Not provided").isVisible()).toBe(false);
  await expectNoBarriers();

  let taps = 0;
  const tap = async (what: Locator) => {
    taps += 1;
    await what.tap();
  };
  await tap(summary.getByRole("link", { name: "Pay $175.50" }));
  const paying = page.getByRole("dialog", { name: "You are paying: $175.50" });
  await expect
    .poll(async () => (await paying.getByRole("listitem").allInnerTexts()).map(oneLine))
    .toEqual(["Panel dues, due 09/30/2026 $50.00", "Website listing, due 10/31/2026 $125.50"]);
  expect(await overflowOnPhone(page)).toBe(0);
  await typeCard(page, "anet", cardOf("anet"));
  await tap(paying.getByRole("button", { name: "Pay $175.50" }));
  await page.getByText("You paid $175.50 by card.").waitFor();
  expect(taps).toBeLessThanOrEqual(5);
  await page.getByText("You owe $50.00").waitFor();
  expect(await summary.getByRole("link", { name: /^Pay/ }).count()).toBe(0);
  expect(new URL(page.url()).search).toBe("");
  expect(watched.alerts).toEqual([]);
});

test("a lawyer sets their own vacation once the settings allow it, and administrators see it immediately", async () => {
  const dashboard = (await openPage({ visitor: lawyer, isPhone: true })).page;
  await dashboard.goto("/dashboard");
  await dashboard.getByText("You owe $0.00").waitFor();
  expect(await dashboard.getByLabel("Vacation until:").count()).toBe(0);
  const panel = (await openPage({ visitor: admin })).page;
  await panel.goto("/admin/settings/suspension");
  await panel.getByLabel("Lawyers may set their own vacation").check();
  await panel.getByText("Saved. Lawyers may set their own vacation.").waitFor();
  await panel.goto(`/admin/attorneys/${attorney.id}`);
  await panel.getByText("Active", { exact: true }).waitFor();

  await dashboard.getByLabel("Vacation until:").fill("12/15/2026");
  await dashboard.keyboard.press("Enter");
  await dashboard.getByText("You are on vacation until 12/15/2026.").waitFor();
  await dashboard.getByRole("region", { name: "You are on vacation until 12/15/2026" }).waitFor();
  expect(await barriersOf(dashboard)).toEqual([]);
  await panel.getByText("On vacation until 12/15/2026").waitFor();
  await dashboard.getByRole("button", { name: "Unpause" }).tap();
  await panel.getByText("Active", { exact: true }).waitFor();
  expect(watched.alerts).toEqual([]);
});
