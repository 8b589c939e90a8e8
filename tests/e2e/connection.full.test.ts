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

test("offline on a phone, opening a screen not yet loaded shows a message, and the screen opens once there is a connection", async () => {
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

test("a screen that failed to load opens with its styles when it is tried again", async () => {
  await open(admin, "/admin/attorneys");
  const loaded = await loadedAt();
  await page.route(/\/session$/, (route) => route.abort()); // the page would then try without a press
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

test("a screen of a replaced version loads the new version, once", async () => {
  await open(admin, "/admin/attorneys");
  const loaded = await loadedAt();
  await page.route("**/assets/ExportsScreen-*.js", (route) => route.fulfill({ status: 404 }));
  await page.getByRole("link", { name: "Reports" }).click();
  await page.getByRole("button", { name: "Reload the page" }).waitFor(); // the page has already done so once
  expect(await loadedAt()).not.toBe(loaded);
  await expect.poll(() => new URL(page.url()).pathname).toBe("/admin/reports");
  await page.unroute("**/assets/ExportsScreen-*.js");
  await page.getByRole("button", { name: "Reload the page" }).click();
  await page.getByRole("heading", { name: "Reports", exact: true }).waitFor();
});

test("rows stay when a search fails, with the reason beside them, and the search can be retried", async () => {
  await open(admin, "/admin/attorneys", { hearsNothing: true }); // which would retry without a press
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

test("what was requested offline loads automatically once there is a connection", async () => {
  await open(admin, "/admin/attorneys");
  await page.getByRole("row", { name: /Grace Hopper/ }).waitFor();
  await page.context().setOffline(true);
  await page.getByLabel("Search").fill("Ada");
  await page.getByText("Attorneys could not be refreshed").waitFor();
  await expect.poll(() => page.getByRole("row", { name: /Grace Hopper/ }).isVisible()).toBe(true);
  await page.context().setOffline(false);
  await expect.poll(() => page.locator("tbody th").allInnerTexts()).toEqual(["Ada Byron"]);
});

test("what was requested while the server was down loads when the socket reconnects", async () => {
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

test("live updates come back as soon as the connection does, however long the retry delay has grown", async () => {
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
  await page.clock.pauseAt(Date.now() + 60_000); // from here on only this test decides whether it is online

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
  await page.clock.runFor(1_000); // after that many attempts, the next one waits 10 s or more
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

/** Style sheets that the page links but has not loaded. */
async function stylesMissing(): Promise<string[]> {
  return await page.evaluate(() => {
    const links = [...document.querySelectorAll<HTMLLinkElement>('link[rel="stylesheet"]')];
    return links.filter(({ sheet }) => sheet === null).map(({ href }) => href);
  });
}
