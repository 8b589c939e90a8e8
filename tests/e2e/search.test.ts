import { expect } from "vitest";
import { addFirm } from "#panel/firms/contract.ts";
import { makeAttorney } from "#tests/support/records/attorneys.ts";
import { makeMatter } from "#tests/support/records/matters.ts";
import { barriersOf, overflowOnPhone } from "#tests/support/watched-page.ts";
import { admin, app, network } from "#tests/support/app-test.ts";
import { page, pageTest } from "#tests/support/page-test.ts";
import { dialog, field, options, press } from "#tests/support/screens/search.ts";

const test = pageTest({ clock: "2026-05-10T16:00:00Z", network: {}, by: "admin" });

test("a lawyer is found by the digits of a phone number in at most 12 keys", async () => {
  const hale = await makeAttorney(app.db, network, {
    firstName: "Quinn",
    lastName: "Hale",
    phone: "(617) 555-0142",
  });
  await makeAttorney(app.db, network, {
    firstName: "Dora",
    lastName: "Finch",
    phone: "(617) 555-0199",
  });
  await page.goto("/admin/settings");
  await page.getByRole("heading", { name: "Settings" }).waitFor();
  // Enter comes before the answer: it opens the match.
  const keys = await press("ControlOrMeta+K", ..."6175550142".split(""), "Enter");
  await page.getByRole("heading", { name: "Quinn Hale" }).waitFor();
  expect(new URL(page.url()).pathname).toBe(`/admin/attorneys/${hale.id}`);
  expect(keys).toBeLessThanOrEqual(12);
  expect(await dialog().count()).toBe(0);

  // Opened records are offered again, here and after a reload.
  await page.reload();
  await page.getByRole("heading", { name: "Quinn Hale" }).waitFor();
  await press("ControlOrMeta+K");
  await expect.poll(async () => (await options())[0]).toMatch(/^Quinn Hale/);
});

test("a space or a deleted letter while the answer is pending loses neither the search nor Enter", async () => {
  await makeAttorney(app.db, network, { firstName: "Quinn", lastName: "Hale" });
  for (const more of [["Space"], ["x", "Backspace"]]) {
    await page.goto("/admin/settings");
    await page.getByRole("button", { name: "Find anything" }).click();
    let answer: () => void = () => undefined;
    const held = new Promise<void>((resolve) => (answer = resolve));
    await page.route("**/search?*", async (route) => {
      await held;
      await route.continue().catch(() => undefined); // it was aborted
    });
    const asked = page.waitForRequest("**/search?*");
    await press(..."hale".split(""));
    await asked;
    await press(...more, "Enter");
    answer();
    await page.getByRole("heading", { name: "Quinn Hale" }).waitFor();
    await page.unroute("**/search?*");
  }
});

test("matches are grouped, chosen by keys, and open only when asked", async () => {
  await makeAttorney(app.db, network, { firstName: "Quinn", lastName: "Hale" });
  await makeMatter(app.db, network, { lastName: "Haley" });
  await admin.call(addFirm, { body: { name: "Hale LLP", attorney_ids: [] } });
  await page.goto("/admin/settings");
  const opener = page.getByRole("button", { name: "Find anything" });
  await opener.click();
  await field().fill("hale");
  const names = ["Quinn Hale", "Jane Haley", "Hale LLP"];
  await expect
    .poll(async () => (await options()).map((text) => text.split(" ").slice(0, 2).join(" ")))
    .toEqual(names);
  expect(await dialog().getByRole("group").allInnerTexts()).toHaveLength(3);
  await dialog().getByText("3 found.").waitFor();
  expect(await dialog().locator("mark").allInnerTexts()).toEqual(expect.arrayContaining(["Hale"]));
  expect(await barriersOf(page)).toEqual([]);
  expect(await overflowOnPhone(page)).toBe(0);

  await press("ArrowDown", "ArrowDown");
  await expect
    .poll(() => dialog().getByRole("option", { selected: true }).innerText())
    .toMatch(/^Hale LLP/);
  const [tab] = await Promise.all([page.context().waitForEvent("page"), press("Control+Enter")]);
  await tab.getByRole("heading", { name: "Hale LLP" }).waitFor();
  await tab.close();

  await field().fill("nobody");
  await dialog().getByText("Nothing found for “nobody”").waitFor();
  expect(await barriersOf(page)).toEqual([]);
  await press("Escape");
  await expect.poll(() => dialog().count()).toBe(0);
  await expect
    .poll(() => opener.evaluate((button) => button === document.activeElement))
    .toBe(true);
});
