import { expect } from "vitest";
import { makeAttorney } from "#tests/support/records/attorneys.ts";
import { makeMatter } from "#tests/support/records/matters.ts";
import { barriersOf } from "#tests/support/watched-page.ts";
import { admin, app, network } from "#tests/support/app-test.ts";
import { openPage, page, pageTest, watched } from "#tests/support/page-test.ts";
import { dialog, field, options, press } from "#tests/support/screens/search.ts";

/* Further cases of Find anything; src/office/desk/search tests what is found. */

const test = pageTest({ clock: "2026-05-10T16:00:00Z", network: {}, by: "admin" });

test("pages and actions are found immediately, without the server", async () => {
  await openPage({ visitor: admin, expectsFaults: true });
  await page.goto("/admin/activity");
  await page.getByRole("heading", { name: "Activity" }).waitFor();
  await page.route(/\/search\?/, (route) => route.fulfill({ status: 503, body: "" }));
  await press("/");
  await page.keyboard.type("record a ch");
  await expect.poll(options).toEqual(["Record a check"]);
  // The server's failure is shown in place of its results; the browser's own results stay.
  await dialog().getByText("The search failed").waitFor();
  expect(watched.alerts).toEqual([]);
  await press("Enter");
  await page.getByRole("heading", { name: "Record a check" }).waitFor();

  await press("ControlOrMeta+K");
  await page.keyboard.type("add an");
  await press("Enter");
  await page.getByRole("dialog", { name: "Add an attorney" }).waitFor();
  await press("Escape");
  await expect.poll(() => new URL(page.url()).href).toMatch(/\/admin\/attorneys$/);
});

test("a late answer never shows results of an earlier text", async () => {
  await makeAttorney(app.db, network, { firstName: "Quinn", lastName: "Hale" });
  await makeAttorney(app.db, network, { firstName: "Dora", lastName: "Finch" });
  await page.goto("/admin/settings");
  await page.getByRole("heading", { name: "Settings" }).waitFor();
  const given: string[] = [];
  page.on("requestfailed", (request) => void given.push(new URL(request.url()).search));
  let release = () => {};
  const held = new Promise<void>((resolve) => (release = resolve));
  await page.route(/\/search\?q=hale/, async (route) => {
    await held;
    await route.continue().catch(() => undefined); // it was aborted
  });
  await press("ControlOrMeta+K");
  const asked = page.waitForRequest(/\/search\?q=hale/);
  await page.keyboard.type("hale");
  await asked;
  await press("x");
  await expect.poll(() => given).toEqual(["?q=hale"]); // by the letter only, whatever arrives later
  await field().fill("finch");
  await expect.poll(async () => (await options())[0]).toMatch(/^Dora Finch/);
  release();
  await dialog().getByText("1 found.").waitFor();
  expect(await options()).toHaveLength(1);
});

test("shortcuts are listed, lead to pages and can be switched off; on a phone the search is in the menu", async () => {
  await makeMatter(app.db, network);
  await page.goto("/admin/settings");
  await page.getByRole("heading", { name: "Settings" }).waitFor();
  await press("?");
  const list = page.getByRole("dialog", { name: "Keyboard shortcuts" });
  await list.getByText("Find anything", { exact: true }).waitFor();
  expect(await barriersOf(page)).toEqual([]);
  await press("Escape", "g", "r");
  await page.getByRole("heading", { name: "Referrals" }).waitFor();
  await press("/"); // the list has a search of its own
  await expect
    .poll(() => page.getByRole("searchbox").evaluate((one) => one === document.activeElement))
    .toBe(true);
  await page.goto("/account");
  await page.getByLabel("Use one-key shortcuts on this device").uncheck();
  await page.getByRole("heading", { name: "Your account" }).click();
  await press("?", "g", "r", "/");
  expect(await page.getByRole("dialog").count()).toBe(0);
  expect(new URL(page.url()).pathname).toBe("/account");

  await openPage({ visitor: admin, isPhone: true });
  await page.goto("/admin/settings");
  await page.getByRole("button", { name: "Menu" }).tap();
  await page.getByRole("button", { name: "Find anything" }).tap();
  await field().fill("receiv");
  await dialog().getByRole("option", { name: "Receivables" }).tap();
  await page.getByRole("heading", { name: "Receivables" }).waitFor();
});
