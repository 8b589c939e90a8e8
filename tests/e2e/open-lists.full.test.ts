import type { Locator } from "playwright-core";
import { beforeEach, describe, expect, vi } from "vitest";
import { plainDate } from "#kit/domain/calendar.ts";
import { runBilling } from "#dues/ledger/billing-run.ts";
import { commitChange } from "#tests/support/cable.ts";
import { makeMatter } from "#tests/support/records/matters.ts";
import { type MadeNetwork } from "#main/demo/records/networks.ts";
import { makeNetwork } from "#tests/support/records/networks.ts";
import { type MadeAttorney } from "#main/demo/records/attorneys.ts";
import { makeAttorney, makePanel } from "#tests/support/records/attorneys.ts";
import { makePlan } from "#main/demo/records/dues.ts";
import { makeDebit, makeEnrolment } from "#tests/support/records/dues.ts";
import { signedIn, type Visitor } from "#tests/support/visitor.ts";
import { app } from "#tests/support/app-test.ts";
import { openPage, page, pageTest } from "#tests/support/page-test.ts";

const wide = { width: 1280, height: 800 };
const phone = { width: 375, height: 740 };
const short = { width: 1280, height: 500 };
const windows = [wide, phone, short];

let network: MadeNetwork;
let attorney: MadeAttorney;
let admin: Visitor;

const test = pageTest();
test.beforeAll(async () => {
  network = await makeNetwork(app.db);
  attorney = await makeAttorney(app.db, network, { firstName: "Ada", lastName: "Byron" });
  await makePanel(app.db, network, 12);
  await makeDebit(app.db, network, attorney, { planName: "Old dues" });
  for (let index = 1; index <= 8; index += 1)
    await makePlan(app.db, network, { name: `Plan number ${index}` });
  await makeEnrolment(app.db, attorney, await makePlan(app.db, network), {
    startDate: "2026-12-31",
  });
  for (let index = 1; index <= 30; index += 1)
    await makeMatter(app.db, network, { lastName: `Client ${index}` });
  // Two, so that the list above their table opens downwards.
  for (const day of ["2026-03-31", "2026-04-30"])
    await runBilling(app.db, network.admin, plainDate(day));
  admin = await signedIn(app, "admin", network);
  await admin.send("POST", "/data_export.json", { report_type: "receivables_aging", columns: [] });
});

beforeEach(async () => {
  await openPage({ visitor: admin });
});

/** Open lists that once were under the headings of the table below. */
const places = {
  reports: { path: () => "/admin/reports", field: "Report type" },
  plans: { path: () => "/admin/subscriptions", field: "Report type" },
  "the attorney filter of referrals": { path: () => "/admin/matters", field: "Attorney" },
};

describe.each(Object.entries(places))("the list of %s", (_, { path, field }) => {
  test("can be chosen from where it covers the heading of a table", async () => {
    await page.setViewportSize(wide);
    await page.goto(path());
    await nothingShifts();
    const input = page.getByLabel(field, { exact: true });
    await input.evaluate((element) => element.scrollIntoView({ block: "center" }));
    await input.click();
    await expectInView(menu());
    const option = await vi.waitUntil(optionOverHeading, 60_000);
    const words = await option.innerText();
    await clickInTheMiddle(option);
    await expect.poll(() => chosenIn(field)).toBe(words);
  });

  test.each(windows)(
    "opens inside a window of $width by $height, wherever its field is",
    async (size) => {
      await page.setViewportSize(size);
      await page.goto(path());
      const input = page.getByLabel(field, { exact: true });
      await nothingShifts();
      for (const block of ["start", "center", "end"] as const) {
        await input.evaluate((element, where) => element.scrollIntoView({ block: where }), block);
        await input.click();
        await expectInView(menu());
        await expect.poll(async () => await isOnTop((await optionsInView()).at(-1))).toBe(true);
        await page.keyboard.press("Escape");
        await menu().waitFor({ state: "detached" });
      }
      await input.click();
      await expectInView(menu());
      const [first] = await optionsInView();
      const words = await first?.innerText();
      if (first) await clickInTheMiddle(first);
      await expect.poll(() => chosenIn(field)).toBe(words);
    },
  );
});

test("an open list of attorneys stays open while the page refetches them", async () => {
  await page.goto("/admin/matters");
  await nothingShifts();
  await page.getByLabel("Attorney", { exact: true }).click();
  await menu().getByRole("option", { name: "Ada Byron" }).waitFor();
  const { promise: released, resolve: release } = Promise.withResolvers<void>();
  await page.route("**/choices?*", async (route) => {
    await released;
    await route.continue();
  });
  const asked = page.waitForRequest("**/choices?*");
  await commitChange(app.db, network.id, attorney.id);
  await asked;
  await page.evaluate(() => new Promise((resume) => requestAnimationFrame(() => resume(null))));
  expect(await menu().getByRole("option", { name: "Ada Byron" }).count()).toBe(1);
  release();
});

test.each(windows)(
  "in a dialog, a list opens inside a window of $width by $height",
  async (size) => {
    await page.setViewportSize(size);
    await page.goto("/admin/reports");
    await nothingShifts();
    await page.getByLabel("Report type").fill("Subscription debits");
    await page.getByRole("option", { name: "Subscription debits" }).click();
    await page.getByRole("button", { name: "Create report" }).click();
    const dialog = page.getByRole("dialog", { name: /^Create custom report/ });
    const input = dialog.getByLabel("Filter by");
    for (const block of ["start", "end"] as const) {
      await input.evaluate((element, where) => element.scrollIntoView({ block: where }), block);
      await input.click();
      await expectInView(menu());
      const last = (await optionsInView()).at(-1);
      const words = await last?.innerText();
      if (last) await clickInTheMiddle(last);
      await expect.poll(() => dialog.innerText()).toContain(words ?? "nothing was offered");
    }
  },
);

test.each([...windows, { width: 640, height: 320 }])(
  "a calendar opens inside a window of $width by $height, and its last day can be chosen",
  async (size) => {
    await page.setViewportSize(size);
    await page.goto(`/admin/attorneys/${attorney.id}`);
    await nothingShifts();
    const field = page.getByRole("textbox", { name: "Start date" });
    for (const block of ["start", "center", "end"] as const) {
      await field.evaluate((element, where) => element.scrollIntoView({ block: where }), block);
      await field.locator("..").getByRole("button", { name: "Open calendar" }).click();
      const calendar = page.getByRole("dialog", { name: "Calendar" });
      const lastDay = calendar.locator("td button:not(:disabled)").last();
      await lastDay.waitFor();
      await expectInView(calendar);
      await lastDay.scrollIntoViewIfNeeded();
      const name = (await lastDay.getAttribute("aria-label")) ?? "";
      await clickInTheMiddle(lastDay);
      await calendar.waitFor({ state: "hidden" });
      const [month, day, year] = (await field.inputValue()).split("/");
      expect(new Date(name).toDateString()).toBe(
        new Date(`${year}-${month}-${day}T12:00:00`).toDateString(),
      );
    }
  },
);

/** Waits until all parts of the page have arrived. */
async function nothingShifts(): Promise<void> {
  await page.getByRole("columnheader").first().waitFor({ state: "attached" });
  await page.waitForLoadState("networkidle");
}

const menu = () => page.getByRole("listbox").filter({ has: page.getByRole("option") });

/** The text in a searchable field. */
async function chosenIn(field: string): Promise<string> {
  const control = page.getByLabel(field, { exact: true }).locator("xpath=../../..");
  return (await control.innerText()).trim();
}

async function expectInView(list: Locator): Promise<void> {
  await list.waitFor();
  const beyond = () =>
    list.evaluate(async (element) => {
      const before = element.getBoundingClientRect();
      await new Promise((resume) => requestAnimationFrame(() => requestAnimationFrame(resume)));
      const { left, top, right, bottom } = element.getBoundingClientRect();
      if (top !== before.top || bottom !== before.bottom) return Infinity; // it is still being positioned
      const { clientWidth } = document.documentElement;
      return Math.max(0, -left, -top, right - clientWidth, bottom - window.innerHeight);
    });
  await expect.poll(beyond).toBe(0);
}

/** The options visible in the open list without scrolling. */
async function optionsInView(): Promise<Locator[]> {
  const seen = await menu().evaluate((list) => {
    const frame = list.getBoundingClientRect();
    return [...list.querySelectorAll("[role=option]")].flatMap((option, index) => {
      const { top, bottom } = option.getBoundingClientRect();
      return top >= frame.top && bottom <= frame.bottom ? [index] : [];
    });
  });
  return seen.map((index) => menu().getByRole("option").nth(index));
}

/** Null if no option covers the heading of a table. */
async function optionOverHeading(): Promise<Locator | null> {
  for (const option of await optionsInView()) {
    const isOver = await option.evaluate((element) => {
      const box = element.getBoundingClientRect();
      const [x, y] = [box.left + box.width / 2, box.top + box.height / 2];
      return [...document.querySelectorAll("thead th")].some((heading) => {
        const { left, right, top, bottom } = heading.getBoundingClientRect();
        return left <= x && x <= right && top <= y && y <= bottom;
      });
    });
    if (isOver) return option;
  }
  return null;
}

/** True if a click in the middle of an option would hit the option. */
async function isOnTop(option: Locator | undefined): Promise<boolean> {
  if (!option) return false;
  return await option.evaluate((element) => {
    const { left, top, width, height } = element.getBoundingClientRect();
    const hit = document.elementFromPoint(left + width / 2, top + height / 2);
    return element.contains(hit);
  });
}

/** Press the screen where the option is, whatever covers it. */
async function clickInTheMiddle(option: Locator): Promise<void> {
  const box = await option.boundingBox();
  if (!box) throw new Error("It is not there.");
  await page.mouse.click(box.x + box.width / 2, box.y + box.height / 2);
}
