import type { Page } from "playwright-core";
import { beforeEach, expect, vi } from "vitest";
import { builtWebFolder } from "#main/app.ts";
import { adjustDebit } from "#features/ledger/contract.ts";
import { payByCheck } from "#features/payments/contract.ts";
import { subscribeAll } from "#features/subscriptions/contract.ts";
import { freePort } from "#tests/support/launched.ts";
import { makePanel } from "#features/demo/records/attorneys.ts";
import { makeDebit, makePlan } from "#features/demo/records/dues.ts";
import { anotherApp, type RunningApp } from "#tests/support/running-app.ts";
import { type Visitor } from "#tests/support/visitor.ts";
import type { WatchedPage } from "#tests/support/watched-page.ts";
import { admin, app, attorney, lawyer, network } from "#tests/support/app-test.ts";
import { address, openPage, pageTest } from "#tests/support/page-test.ts";
import { todayInNewYork } from "#tests/support/today.ts";

let screens: Screen[];

const test = pageTest({
  lawyer: true,
  network: {},
  attorney: { firstName: "Ada", lastName: "Byron" },
});

beforeEach(() => void (screens = []));

test("an administrator and an attorney see what the other does, and keep what they are typing", async () => {
  const dues = await makeDebit(app.db, network, attorney, { amountCents: 5000 });
  await makeDebit(app.db, network, attorney, { planName: "Website listing", amountCents: 12_550 });
  const dashboard = (await open(lawyer, "/dashboard")).page;
  const typed = dashboard.getByLabel(/^Payment for Website listing/);
  await typed.fill("12.50");
  const panel = (await open(admin, `/admin/attorneys/${attorney.id}`)).page;
  const adding = panel.getByRole("form", { name: "Add a subscription" });
  await adding.getByLabel("Subscription").fill("web");
  await panel.getByRole("option", { name: /^Website listing/ }).click();
  await adding.getByLabel("Note").fill("Second off");
  const loaded = await loadingsOf(dashboard, panel);

  const body = { payment_hash: { [dues]: "20" }, check_number: "1042" };
  await lawyer.call(payByCheck, { body });
  await panel.getByRole("button", { name: /^Confirm check/ }).click();
  const confirming = panel.getByRole("dialog", { name: "Confirm Check" });
  await confirming.getByLabel("Approve").check();
  await dashboard.getByText("$20.00 of it awaits confirmation").waitFor();
  await expect.poll(() => typed.inputValue()).toBe("12.50");

  await confirming.getByRole("button", { name: /Confirm|Submit|Save/ }).click();
  await dashboard.getByText("You owe $155.50").waitFor();
  await expect.poll(() => typed.inputValue()).toBe("12.50");
  await expect.poll(() => dashboard.getByRole("tab", { selected: true }).innerText()).toBe("Owed");
  await confirming.waitFor({ state: "hidden" });
  await adding.getByText("Website listing ($125.50 every month)").waitFor();
  await expect.poll(() => adding.getByLabel("Note").inputValue()).toBe("Second off");

  await dashboard.getByRole("tab", { name: "Paid" }).click();
  await lawyer.call(payByCheck, { body: { ...body, check_number: "1043" } });
  await dashboard.getByText("1043").waitFor();
  await expect.poll(() => dashboard.getByRole("tab", { selected: true }).innerText()).toBe("Paid");
  expect(await loadingsOf(dashboard, panel)).toEqual(loaded);
});

test("one change for all attorneys is one message, and one question of each screen", async () => {
  await makePanel(app.db, network, 40);
  const plan = await makePlan(app.db, network, { name: "Panel dues", amountCents: 5000 });
  const dashboard = await open(lawyer, "/dashboard");
  const panel = await open(admin, `/admin/attorneys/${attorney.id}`);
  const plans = await open(admin, "/admin/subscriptions");
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

test("however many changes there are, a screen asks at most once a second", async () => {
  const debit = await makeDebit(app.db, network, attorney, { amountCents: 100_000 });
  const dashboard = await open(lawyer, "/dashboard");
  const panel = await open(admin, `/admin/attorneys/${attorney.id}`);
  for (let change = 1; change <= 40; change += 1)
    await admin.call(adjustDebit, { body: { debit_id: debit, amount: "1" } });
  await dashboard.page.getByText("You owe $960.00").waitFor();
  await panel.page.getByText("$960.00").first().waitFor();
  for (const screen of screens) {
    expect(screen.hints().length).toBeGreaterThanOrEqual(40);
    for (const asked of await askingsOf(screen.page)) {
      const gaps = asked.slice(1).map((at, index) => at - (asked[index] ?? 0));
      expect(Math.min(Infinity, ...gaps)).toBeGreaterThan(980); // started a moment after it was asked for
    }
  }
});

test("after a restart of the server a page comes back by itself and has missed nothing", async () => {
  const debit = await makeDebit(app.db, network, attorney, { amountCents: 5000 });
  const ownPort = await freePort();
  const before = await aProcess(ownPort);
  const { page } = await open(lawyer, "/dashboard", { at: `http://localhost:${ownPort}` });
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
  screens = []; // it may complain, rightly, that the server was away
});

test("signing out in another tab ends the page's socket for good, and the page says so", async () => {
  const screen = await open(lawyer, "/dashboard");
  const { page, watched } = screen;
  await becalmed(screen); // asking for anything once signed out, it would go and sign in by itself
  const tab = await page.context().newPage();
  await tab.goto("/account");
  await tab.getByRole("button", { name: "Sign out" }).click();
  await page.getByText("This page no longer hears of changes.").waitFor();
  await page.getByRole("button", { name: "Reload" }).evaluateAll(pressAll);
  await page.getByRole("button", { name: "Sign in" }).waitFor();
  expect(watched.alerts).toEqual([]);
});

test("what could not be asked for when a change was told is asked for until it is answered", async () => {
  const debit = await makeDebit(app.db, network, attorney, { amountCents: 5000 });
  const screen = await open(lawyer, "/dashboard", { expectsFaults: true });
  const { page, watched } = screen;
  await page.getByText("You owe $50.00").waitFor();
  await becalmed(screen); // what it asks for from now on is asked for because of the change
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

test("a page that cannot come back says so, and takes it back when it can", async () => {
  const { page } = await openPage({ visitor: lawyer });
  let isBlocked = true;
  await page.clock.install();
  await page.routeWebSocket(/\/cable/, (socket) => {
    if (!isBlocked) socket.connectToServer();
  });
  await page.goto("/dashboard");
  await page.getByRole("tab", { name: "Owed" }).waitFor();
  const notice = page.getByText("Changes do not reach this page at the moment.");
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

test("the socket is opened where the page's meta tag says, else at /cable", async () => {
  const tag = /<meta name="action-cable-url"[^>]*>/;
  expect(await socketOf((html) => html.replace(tag, ""))).toBe(
    `${address.replace("http", "ws")}/cable`,
  );
  for (const start of ["", address, address.replace("http", "ws")]) {
    const elsewhere = `<meta name="action-cable-url" content="${start}/cable?from=meta" />`;
    expect(await socketOf((html) => html.replace(tag, elsewhere))).toBe(
      `${address.replace("http", "ws")}/cable?from=meta`,
    );
  }
});

/** An open page with what it heard and asked. */
interface Screen {
  watched: WatchedPage;
  page: Page;
  /** What it asked the server for. */
  asked: string[];
  /** Which attorney each message so far was about; null for many. */
  hints(): (number | null)[];
}

/** Open a page and wait until it hears of changes. */
async function open(
  visitor: Visitor,
  path: string,
  { at = address, expectsFaults = false } = {},
): Promise<Screen> {
  const watched = await openPage({ address: at, visitor, expectsFaults });
  const { page } = watched;
  const frames: { type?: string; message?: { type: string; attorney_id: number | null } }[] = [];
  const asked: Screen["asked"] = [];
  page.on("websocket", (socket) =>
    socket.on("framereceived", ({ payload }) => frames.push(JSON.parse(String(payload)))),
  );
  page.on("request", (request) => {
    const url = new URL(request.url());
    const isCall = request.resourceType() === "fetch" && !url.pathname.startsWith("/api/");
    if (isCall) asked.push(url.pathname + url.search);
  });
  await page.addInitScript(noteWork);
  await page.goto(path);
  const channels = visitor === admin ? 2 : 1;
  await page.waitForFunction((count) => window.work.channelsHeard === count, channels);
  const hints = () =>
    frames.flatMap(({ message }) =>
      typeof message === "object" && message.type === "subscriptions_changed"
        ? [message.attorney_id]
        : [],
    );
  const screen = { watched, page, asked, hints };
  screens.push(screen);
  return screen;
}

/** Nothing is being asked for, nor waits for its moment to be. */
async function becalmed({ page }: Screen): Promise<void> {
  await page.waitForFunction(() => window.work.callsUnderWay + window.work.timers.size === 0);
}

/** When each page was loaded. */
async function loadingsOf(...pages: Page[]): Promise<number[]> {
  return await Promise.all(pages.map((page) => page.evaluate(() => performance.timeOrigin)));
}

/** What a page is at, as it notes it itself. */
interface Work {
  /** When it decided to ask for each address, in milliseconds by its own clock. */
  askings: Map<string, number[]>;
  /** Calls whose answer has not been read yet, or only just now. */
  callsUnderWay: number;
  /** Timers that stand for less than what the cable waits between two looks at its line. */
  timers: Set<number>;
  /** How many of its subscriptions to channels have been confirmed to it. */
  channelsHeard: number;
}

declare global {
  interface Window {
    work: Work;
  }
}

/**
 * In the page: note when it decides to ask for each address, by the last look at its own clock. On a
 * busy machine a request goes out up to a tenth of a second after that, now later, now sooner. And
 * whether more is to come: what it is told by the cable becomes a timer, and that a call.
 */
function noteWork(): void {
  const work: Work = { askings: new Map(), callsUnderWay: 0, timers: new Set(), channelsHeard: 0 };
  const [ask, now] = [window.fetch, performance.now.bind(performance)];
  const [setTimer, clearTimer] = [window.setTimeout.bind(window), window.clearTimeout.bind(window)];
  let lookedAt = 0;
  performance.now = () => (lookedAt = now());
  window.fetch = async (address, ...more) => {
    const { url } = new Request(address);
    work.askings.set(url, [...(work.askings.get(url) ?? []), lookedAt]);
    work.callsUnderWay += 1;
    const isRead = () => void setTimer(() => (work.callsUnderWay -= 1), 200);
    try {
      const answer = await ask(address, ...more);
      void answer.clone().text().finally(isRead);
      return answer;
    } catch (problem) {
      isRead();
      throw problem;
    }
  };
  const setCounted = (handler: TimerHandler, delayMs = 0, ...given: unknown[]): number => {
    const run = () => {
      work.timers.delete(timer);
      if (typeof handler === "function") handler(...given);
    };
    const timer = setTimer(run, delayMs);
    if (delayMs < 2_900) work.timers.add(timer);
    return timer;
  };
  const clearCounted = (timer: number | undefined): void => {
    clearTimer(timer);
    if (timer !== undefined) work.timers.delete(timer);
  };
  class HeardSocket extends WebSocket {
    constructor(...given: ConstructorParameters<typeof WebSocket>) {
      super(...given);
      this.addEventListener("message", ({ data }) => {
        if (JSON.parse(String(data)).type === "confirm_subscription") work.channelsHeard += 1;
      });
    }
  }
  Object.assign(window, {
    work,
    setTimeout: setCounted,
    clearTimeout: clearCounted,
    WebSocket: HeardSocket,
  });
}

/** When a page asked for each address it asked for, in milliseconds, by its own clock. */
async function askingsOf(page: Page): Promise<number[][]> {
  const noted = await page.evaluate(() => [...window.work.askings.values()]);
  expect(noted.length).toBeGreaterThan(0);
  return noted;
}

function pressAll(buttons: Element[]): void {
  for (const button of buttons) if (button instanceof HTMLElement) button.click();
}

/** A process of the same product on the same database. */
async function aProcess(ownPort: number): Promise<RunningApp> {
  const process = await anotherApp(app, { webFolder: builtWebFolder });
  await process.server.listen({ port: ownPort, host: "127.0.0.1" });
  return process;
}

/** Where a page whose document was changed on its way opens its socket. */
async function socketOf(change: (html: string) => string): Promise<string> {
  const { page } = await openPage({ visitor: lawyer });
  await page.route("**/dashboard", async (route) => {
    const response = await route.fetch();
    await route.fulfill({ response, body: change(await response.text()) });
  });
  const [socket] = await Promise.all([page.waitForEvent("websocket"), page.goto("/dashboard")]);
  await socket.waitForEvent("framereceived");
  return socket.url();
}
