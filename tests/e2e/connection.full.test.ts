import type { WebSocketRoute } from "playwright-core";
import { beforeEach, expect, vi } from "vitest";
import { adjustDebit } from "#dues/ledger/contract.ts";
import { makeAttorney } from "#tests/support/records/attorneys.ts";
import { makeDebit } from "#tests/support/records/dues.ts";
import { type Visitor } from "#tests/support/visitor.ts";
import { barriersOf } from "#tests/support/watched-page.ts";
import { admin, app, attorney, lawyer, network } from "#tests/support/app-test.ts";
import { address, openPage, page, pageTest } from "#tests/support/page-test.ts";

const unreachable = "The server could not be reached. Check your connection and try again.";

let alerts: string[];

const test = pageTest({
  lawyer: true,
  network: {},
  attorney: { firstName: "Ada", lastName: "Byron" },
});

beforeEach(async () => {
  await makeAttorney(app.db, network, { firstName: "Grace", lastName: "Hopper" });
});

test("offline on a phone, a tap on a screen not loaded yet says so, and it comes once there is a connection", async () => {
  await open(lawyer, "/dashboard", { isPhone: true });
  const addresses: string[] = [];
  page.on("framenavigated", (frame) => addresses.push(frame.url()));
  await page.context().setOffline(true);
  await page.getByRole("button", { name: "Menu" }).click();
  await page.getByRole("link", { name: "Referrals" }).click();
  await page.getByText("This page could not be loaded").waitFor();
  await page.getByText(unreachable).waitFor();
  expect(await barriersOf(page)).toEqual([]);
  await page.getByRole("button", { name: "Try again" }).click();
  await page.getByText("This page could not be loaded").waitFor();
  await page.context().setOffline(false);
  await page.getByRole("heading", { name: "Referrals" }).waitFor();
  expect(new Set(addresses)).toEqual(new Set([`${address}/dashboard/referrals`]));
});

test("a screen that could not be loaded comes when it is tried again, with its looks", async () => {
  await open(admin, "/admin/attorneys");
  const loaded = await loadedAt();
  await page.route(/\/session$/, (route) => route.abort()); // by which the page would try by itself
  await page.route(/\.css$/, (route) => route.abort());
  await page.getByRole("link", { name: "Settings" }).click(); // it has styles of its own
  await page.getByText("This page could not be loaded").waitFor();
  await page.unroute(/\.css$/);
  await page.getByRole("button", { name: "Try again" }).click();
  await page.getByRole("heading", { name: "Settings", exact: true }).waitFor();
  await page.getByRole("heading", { name: "Card payments", exact: true }).waitFor();
  expect(await loadedAt()).toBe(loaded);
  expect(await stylesMissing()).toEqual([]);
});

test("a screen of a version that has been replaced brings the new one, once", async () => {
  await open(admin, "/admin/attorneys");
  const loaded = await loadedAt();
  await page.route("**/assets/ExportsScreen-*.js", (route) => route.fulfill({ status: 404 }));
  await page.getByRole("link", { name: "Reports" }).click();
  await page.getByRole("button", { name: "Reload the page" }).waitFor(); // it has done so itself once
  expect(await loadedAt()).not.toBe(loaded);
  await expect.poll(() => new URL(page.url()).pathname).toBe("/admin/reports");
  await page.unroute("**/assets/ExportsScreen-*.js");
  await page.getByRole("button", { name: "Reload the page" }).click();
  await page.getByRole("heading", { name: "Reports", exact: true }).waitFor();
});

test("rows shown stay when a search fails, with the reason beside them, and it can be tried again", async () => {
  await open(admin, "/admin/attorneys", { hearsNothing: true }); // which would try by itself
  await page.getByRole("row", { name: /Grace Hopper/ }).waitFor();
  await page.route("**/attorneys?*", (route) => route.abort());
  await page.getByLabel("Search").fill("Ada");
  const failure = page.getByRole("alert");
  await failure.getByText("Attorneys could not be refreshed").waitFor();
  await failure.getByText(unreachable).waitFor();
  await expect.poll(() => alerts).toEqual([unreachable]);
  await expect.poll(() => page.getByRole("row", { name: /Grace Hopper/ }).isVisible()).toBe(true);
  expect(await barriersOf(page)).toEqual([]);
  await page.unroute("**/attorneys?*");
  await page.getByRole("button", { name: "Try again" }).click();
  await page.getByRole("row", { name: /Grace Hopper/ }).waitFor({ state: "detached" });
  await page.getByRole("row", { name: /Ada Byron/ }).waitFor();
  await expect.poll(() => failure.count()).toBe(0);
});

test("what was asked for without a connection comes by itself once there is one", async () => {
  await open(admin, "/admin/attorneys");
  await page.getByRole("row", { name: /Grace Hopper/ }).waitFor();
  await page.context().setOffline(true);
  await page.getByLabel("Search").fill("Ada");
  await page.getByText("Attorneys could not be refreshed").waitFor();
  await expect.poll(() => page.getByRole("row", { name: /Grace Hopper/ }).isVisible()).toBe(true);
  await page.context().setOffline(false);
  await expect.poll(() => page.locator("tbody th").allInnerTexts()).toEqual(["Ada Byron"]);
});

test("what was asked for while the server was away comes with the line to it", async () => {
  await openPage({ visitor: admin, mayComplain: true });
  let isAway = false;
  const lines: WebSocketRoute[] = [];
  await page.routeWebSocket(/\/cable/, (line) => {
    if (!isAway) line.connectToServer();
    else void line.close();
    lines.push(line);
  });
  await page.goto("/admin/attorneys");
  await page.getByRole("row", { name: /Grace Hopper/ }).waitFor();
  await expect.poll(() => lines.length).toBe(1);
  isAway = true;
  await page.route("**/attorneys?*", (route) => route.abort());
  await lines[0]?.close();
  await page.getByLabel("Search").fill("Ada");
  await page.getByText("Attorneys could not be refreshed").waitFor();
  await expect.poll(() => page.getByRole("row", { name: /Grace Hopper/ }).isVisible()).toBe(true);
  await page.unroute("**/attorneys?*");
  isAway = false;
  await expect.poll(() => page.locator("tbody th").allInnerTexts()).toEqual(["Ada Byron"]);
});

test("live updates come back as soon as the connection does, however long the next try was put off", async () => {
  const debit = await makeDebit(app.db, network, attorney, { amountCents: 5000 });
  await openPage({ visitor: lawyer, mayComplain: true });
  let isAway = false;
  let tries = 0;
  const lines: WebSocketRoute[] = [];
  await page.clock.install();
  await page.routeWebSocket(/\/cable/, (line) => {
    tries += 1;
    if (!isAway) line.connectToServer();
    else void line.close();
    lines.push(line);
  });
  await page.goto("/dashboard");
  await page.getByText("You owe $50.00").waitFor();
  await expect.poll(() => tries).toBe(1);
  await page.clock.pauseAt(Date.now() + 60_000); // from here on it goes by what this test says alone

  isAway = true;
  await page.context().setOffline(true);
  for (const line of lines) await line.close();
  await vi.waitUntil(
    async () => {
      await page.clock.runFor(1_000);
      return tries > 8;
    },
    { timeout: 90_000, interval: 50 },
  );
  const before = tries;
  isAway = false;
  const comesBack = await page.evaluateHandle(() => ({
    heard: new Promise<void>((resolve) => window.addEventListener("online", () => resolve())),
  }));
  await page.context().setOffline(false);
  await comesBack.evaluate(({ heard }) => heard);
  await page.clock.runFor(1_000); // after so many, the next try is put off by 10 s and more
  await expect.poll(() => tries).toBe(before + 1);

  await admin.call(adjustDebit, { body: { debit_id: debit, amount: "10" } });
  await vi.waitUntil(
    async () => {
      await page.clock.runFor(500);
      return (await page.getByText("You owe $40.00").count()) === 1;
    },
    { timeout: 60_000, interval: 200 },
  );
});

async function open(
  visitor: Visitor,
  path: string,
  more: { isPhone?: boolean; hearsNothing?: boolean } = {},
): Promise<void> {
  ({ alerts } = await openPage({ visitor, mayComplain: true, ...more }));
  await page.goto(path);
  await page.getByRole("heading", { level: 1 }).waitFor();
}

const loadedAt = () => page.evaluate(() => performance.timeOrigin);

/** The addresses of styles that the page asked for and does not have. */
async function stylesMissing(): Promise<string[]> {
  return await page.evaluate(() => {
    const links = [...document.querySelectorAll<HTMLLinkElement>('link[rel="stylesheet"]')];
    return links.filter(({ sheet }) => sheet === null).map(({ href }) => href);
  });
}
