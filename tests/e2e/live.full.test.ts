import { expect, vi } from "vitest";
import { builtWebFolder } from "#main/app.ts";
import { adjustDebit } from "#dues/ledger/contract.ts";
import { subscribeAll } from "#dues/plans/contract.ts";
import { makePanel } from "#tests/support/records/attorneys.ts";
import { makePlan } from "#main/demo/records/dues.ts";
import { makeDebit } from "#tests/support/records/dues.ts";
import { freePort } from "#tests/support/launched.ts";
import { anotherApp, type RunningApp } from "#tests/support/running-app.ts";
import { admin, app, attorney, lawyer, network } from "#tests/support/app-test.ts";
import { askingsOf, becalmed, loadingsOf, openScreen } from "#tests/support/hinted-pages.ts";
import { openPage, pageTest } from "#tests/support/page-test.ts";
import { todayInNewYork } from "#tests/support/today.ts";

/*
 * How often pages refetch after hints, and what they do when they get no answer or are signed out.
 * deliveries.test.ts tests who gets which hint, and that signing out closes the socket.
 */

const test = pageTest({
  lawyer: true,
  network: {},
  attorney: { firstName: "Ada", lastName: "Byron" },
});

test("one change for all attorneys is one hint, and one refetch of each screen", async () => {
  await makePanel(app.db, network, 40);
  const plan = await makePlan(app.db, network, { name: "Panel dues", amountCents: 5000 });
  const dashboard = await openScreen(lawyer, "/dashboard");
  const panel = await openScreen(admin, `/admin/attorneys/${attorney.id}`);
  const plans = await openScreen(admin, "/admin/subscriptions");
  const screens = [dashboard, panel, plans];
  for (const screen of screens) await becalmed(screen);
  const before = screens.map(({ asked }) => asked.length);

  const today = todayInNewYork();
  const body = { lrs_subscription_id: plan.id, start_date: today, bill_immediately: false };
  await admin.call(subscribeAll, { body: { ...body, note: "" } });
  await dashboard.page.getByRole("tab", { name: "Your subscriptions" }).click();
  await dashboard.page.getByText("Panel dues").first().waitFor();
  await panel.page
    .getByRole("table", { name: "Current Subscriptions" })
    .getByText("Panel dues")
    .waitFor();
  await plans.page.getByRole("row", { name: /Panel dues.*41/ }).waitFor();
  for (const screen of screens) {
    await becalmed(screen);
    expect(screen.hints().filter((hint) => hint === null)).toEqual([null]);
  }
  for (const [index, { asked }] of screens.entries()) {
    const since = asked.slice(before[index]);
    expect(since.toSorted()).toEqual([...new Set(since)].toSorted());
    expect(since.length).toBeGreaterThan(0);
  }
});

test("however many changes there are, a screen refetches at most once a second", async () => {
  const debit = await makeDebit(app.db, network, attorney, { amountCents: 100_000 });
  const dashboard = await openScreen(lawyer, "/dashboard");
  const panel = await openScreen(admin, `/admin/attorneys/${attorney.id}`);
  for (let change = 1; change <= 40; change += 1)
    await admin.call(adjustDebit, { body: { debit_id: debit, amount: "1" } });
  await dashboard.page.getByText("You owe $960.00").waitFor();
  await panel.page.getByText("$960.00").first().waitFor();
  for (const screen of [dashboard, panel]) {
    expect(screen.hints().length).toBeGreaterThanOrEqual(40);
    for (const asked of await askingsOf(screen.page)) {
      const gaps = asked.slice(1).map((at, index) => at - (asked[index] ?? 0));
      expect(Math.min(Infinity, ...gaps)).toBeGreaterThan(980); // starts a moment after the request
    }
  }
});

test("a refetch that fails after a hint is repeated until it is answered", async () => {
  const debit = await makeDebit(app.db, network, attorney, { amountCents: 5000 });
  const screen = await openScreen(lawyer, "/dashboard", { expectsFaults: true });
  const { page, watched } = screen;
  await page.getByText("You owe $50.00").waitFor();
  await becalmed(screen); // any later refetch is due to the change
  let asked = 0;
  await page.route(`**/attorneys/${attorney.id}`, async (route) => {
    asked += 1;
    if (asked > 1) return await route.continue();
    await route.fulfill({
      status: 503,
      json: { success: false, object: null, message: "The server is starting." },
    });
  });
  await admin.call(adjustDebit, { body: { debit_id: debit, amount: "10" } });
  await page.getByText("You owe $40.00").waitFor();
  expect(asked).toBe(2);
  expect(watched.alerts).toEqual([]);
});

test("a page that has lost its connection says so, and stops saying so when it is back", async () => {
  const { page } = await openPage({ visitor: lawyer });
  let isBlocked = true;
  await page.clock.install();
  await page.routeWebSocket(/\/cable/, (socket) => {
    if (!isBlocked) socket.connectToServer();
  });
  await page.goto("/dashboard");
  await page.getByRole("tab", { name: "Owed" }).waitFor();
  const notice = page.getByText("This page is not updating right now.");
  await expect.poll(() => notice.count()).toBe(0);
  await page.clock.runFor(30_000);
  await notice.waitFor();
  isBlocked = false;
  await vi.waitUntil(
    async () => {
      await page.clock.runFor(5_000);
      return (await notice.count()) === 0;
    },
    { timeout: 60_000, interval: 200 },
  );
});

test("an idle page learns by its socket that its session was ended elsewhere, and goes to sign in", async () => {
  const screen = await openScreen(lawyer, "/dashboard");
  const { page, watched } = screen;
  await becalmed(screen); // a request after sign-out would lead it there too
  await lawyer.send("POST", "/api/auth/sign-out", {}); // with another browser than the page's
  await page.getByRole("button", { name: "Sign in" }).waitFor();
  expect(watched.alerts).toEqual([]);
});

test("after a restart of the server a page reconnects and has missed nothing", async () => {
  const debit = await makeDebit(app.db, network, attorney, { amountCents: 5000 });
  const ownPort = await freePort();
  const before = await aProcess(ownPort);
  const { page } = await openScreen(lawyer, "/dashboard", { at: `http://localhost:${ownPort}` });
  const loaded = await loadingsOf(page);
  await page.getByText("You owe $50.00").waitFor();
  await page.getByLabel(/^Payment for/).focus();
  await before.close();
  await admin.call(adjustDebit, { body: { debit_id: debit, amount: "10" } });
  const after = await aProcess(ownPort);
  await page.getByText("You owe $40.00").waitFor();
  await admin.call(adjustDebit, { body: { debit_id: debit, amount: "10" } });
  await page.getByText("You owe $30.00").waitFor();
  expect(await loadingsOf(page)).toEqual(loaded);
  await page.context().close();
  await after.close();
});

/** A process of the same product on the same database. */
async function aProcess(ownPort: number): Promise<RunningApp> {
  const process = await anotherApp(app, { webFolder: builtWebFolder });
  await process.server.listen({ port: ownPort, host: "127.0.0.1" });
  return process;
}
