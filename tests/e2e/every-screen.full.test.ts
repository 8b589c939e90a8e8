import { globSync, mkdirSync } from "node:fs";
import type { Page, Request } from "playwright-core";
import { Temporal } from "temporal-polyfill";
import { describe, expect } from "vitest";
import { makeDemo } from "#main/demo.ts";
import { firstScreens } from "#main/first-screens.ts";
import { listAttorneys } from "#panel/contract.ts";
import { demoPassword } from "#access/sign-in/demo-passwords.ts";
import { makeAccount, type MadeAttorney } from "#main/demo/records/attorneys.ts";
import { makeAttorney } from "#tests/support/records/attorneys.ts";
import { makeCardAccount } from "#main/demo/records/cards.ts";
import { makeNetwork } from "#tests/support/records/networks.ts";
import { listMatters } from "#referrals/matters/matters.list.ts";
import { app } from "#tests/support/app-test.ts";
import { fillLists } from "#tests/support/full-lists.ts";
import { aCardPaymentOf } from "#tests/support/network-for-every-screen.ts";
import { projectFolder } from "#tests/support/launched.ts";
import { keyboardFaults, dialogFaults } from "#tests/support/keyboard-walk.ts";
import { misfitsAt } from "#tests/support/layout-faults.ts";
import { withoutAnswers } from "#tests/support/page-answers.ts";
import { openPage, page, pageTest, watched } from "#tests/support/page-test.ts";
import { aVisitor, signedIn, type Visitor } from "#tests/support/visitor.ts";
import { barriersOf } from "#tests/support/watched-page.ts";

/*
 * Every screen, on phones, tablets and desktops, in light and dark: in an empty network, in the demo with
 * 10,000 more rows in every list, and while the server fails. src/main/first-screens.ts lists the screens;
 * tabs and dialogs are found on them. With SCREEN_PICTURES=folder it saves pictures there.
 */

const clock = "2026-11-30T17:00:00Z";

/** Checked in both themes. */
const themeWidths = [375, 768, 1280, 1600];

/** Widths of phones, of windows side by side, of screens; and on either side of each layout change. */
const layoutWidths = [320, 480, 600, 719, 721, 820, 930, 1023, 1025, 1151, 1153];

interface World {
  admin: Visitor;
  lawyer: Visitor;
  /** The record to show at an address that names one, by the address without it. */
  ids: Record<string, number>;
}

const unusedId = 999_999_999;
let empty: World;
let full: World;

const test = pageTest({ clock, asOwner: true }); // the lists are filled bypassing their triggers
test.beforeAll(async () => {
  await makeDemo(app.pool, () => Temporal.Instant.from(clock));
  const admin = await signedInAs("admin@demo.test");
  const lawyer = await signedInAs("attorney@demo.test");
  const { items } = await admin.call(listAttorneys, { query: { search: "attorney@demo.test" } });
  const attorney = items[0]?.id ?? 0;
  const { networkId } = await app.db
    .selectFrom("attorneys")
    .select("networkId")
    .where("id", "=", attorney)
    .executeTakeFirstOrThrow();
  const ofDemo = async (table: "matters" | "receivedChecks" | "plans" | "firms" | "deposits") =>
    (
      await app.db
        .selectFrom(table)
        .select("id")
        .where("networkId", "=", networkId)
        .orderBy("id")
        .executeTakeFirstOrThrow()
    ).id;
  const payment = await app.db
    .selectFrom("payments")
    .select("id")
    .where("attorneyId", "=", attorney)
    .orderBy("id")
    .executeTakeFirstOrThrow();
  const ids = {
    "/receipts/": payment.id,
    "/statements/": attorney,
    "/admin/card-payments/": 0,
    "/admin/attorneys/": attorney,
    "/admin/matters/": await ofDemo("matters"),
    "/admin/checks/": await ofDemo("receivedChecks"),
    "/admin/firms/": await ofDemo("firms"),
    "/admin/deposits/": await ofDemo("deposits"),
    "/admin/plans/": 0,
  };
  const keys = { apiLoginId: "login", transactionKey: "key", signatureKey: "0" };
  await makeCardAccount(app.db, { id: networkId }, { secret: app.secret, processor: "anet", keys });
  await fillLists(app.db, { networkId, attorneyId: attorney, rows: 10_000, today: "2026-11-30" });
  const plan = await app.db
    .selectFrom("plans")
    .select("id")
    .where("networkId", "=", networkId)
    .orderBy("enrolledCount", "desc")
    .executeTakeFirstOrThrow();
  const cardPayment = await aCardPaymentOf(app, networkId, attorney);
  const made = { "/admin/plans/": plan.id, "/admin/card-payments/": cardPayment };
  full = { admin, lawyer, ids: { ...ids, ...made } };
  empty = await anEmptyWorld(Object.keys(ids));
  await giveLongNames();
});

/** Matters of an attorney, and one in each state, some of them that attorney's. */
async function giveLongNames(): Promise<void> {
  const longName = {
    firstName: "Maximiliana-Theodora",
    lastName: "Featherstonehaugh-Cholmondeley",
    email: "maximiliana.featherstonehaugh-cholmondeley@north-harbor-legal-associates.example",
    phone: "(555) 010-4477 x12345",
  };
  const { id } = (await full.admin.call(listAttorneys)).items[3] ?? { id: 0 };
  await app.db.updateTable("attorneys").set(longName).where("id", "=", id).execute();
  for (const status of ["new", "open", "closed"]) {
    const matter = (await full.admin.call(listMatters, { query: { status } })).items[0];
    await app.db
      .updateTable("matters")
      .set({ ...longName, ...(matter?.attorneyId && { attorneyId: id }) })
      .where("id", "=", matter?.id ?? 0)
      .execute();
  }
}

/** An empty network, and one with only an attorney. */
async function anEmptyWorld(places: string[]): Promise<World> {
  const network = await makeNetwork(app.db, { name: "Nothing yet" });
  const other = await makeNetwork(app.db, { name: "One attorney" });
  const alone: MadeAttorney = await makeAttorney(app.db, other);
  await makeAccount(app.db, other, alone);
  return {
    admin: await signedIn(app, "admin", network),
    lawyer: await signedIn(app, alone, other),
    ids: {
      ...Object.fromEntries(places.map((place) => [place, unusedId])),
      "/statements/": alone.id,
    },
  };
}

async function signedInAs(email: string): Promise<Visitor> {
  const visitor = aVisitor(app);
  await visitor.send("POST", "/api/auth/sign-in/email", { email, password: demoPassword });
  return visitor;
}

interface Screen {
  /** The address; if it names a record it ends with a slash, or goes on after "ID". */
  address: string;
  of: "admin" | "lawyer" | "nobody";
}

/** Addresses of lists that show other columns or statuses than the unfiltered list. */
const filtered: Screen[] = [
  { address: "/admin/matters?status=overdue", of: "admin" },
  { address: "/admin/checks?status=all", of: "admin" },
  { address: "/admin/attorneys?status=left", of: "admin" },
];

const settingsPages = ["network", "suspension", "card-payments", "mail", "people", "integrations"];

const screens: Screen[] = [
  ...firstScreens.screens.flatMap(({ path }): Screen[] => {
    const address = path.source.slice(1, -1).replaceAll("\\/", "/");
    const of = ownerOf(address);
    if (address.endsWith("/settings/([a-z-]+)"))
      return settingsPages.map((name) => ({ address: `/admin/settings/${name}`, of }));
    return [{ address: address.replace("([1-9]\\d*)", "ID"), of }];
  }),
  ...filtered,
];

function ownerOf(address: string): Screen["of"] {
  if (address.startsWith("/sign-in")) return "nobody";
  return address.startsWith("/admin") ? "admin" : "lawyer";
}

function addressIn({ ids }: World, { address }: Screen): string {
  return address.replace(/^(.*\/)ID/, (_, place: string) => {
    const id = ids[place];
    if (id === undefined) throw new Error(`Which record is to be shown at ${place}?`);
    return `${place}${id}`;
  });
}

const visitorOf = (world: World, { of }: Screen) => (of === "nobody" ? aVisitor(app) : world[of]);

test("every screen of the product is checked", () => {
  const found = globSync("src/**/*Screen.tsx", { cwd: projectFolder }).filter(
    (file) => !file.startsWith("src/kit/"),
  );
  const listed = firstScreens.screens.map(({ file }) => `src/${file}`);
  expect(new Set(listed)).toEqual(
    new Set(found.filter((file) => !file.endsWith("/DamagedLinkScreen.tsx"))), // there is only a link to see
  );
});

describe("in an empty network there are no accessibility barriers on", () => {
  test.each(screens)("$address", async (screen) => {
    await open(empty, screen);
    const isMissing = addressIn(empty, screen).endsWith(`/${unusedId}`);
    if (isMissing) await page.getByRole("heading", { name: "Page not found" }).waitFor();
    expect(watched.alerts).toEqual([]);
    expect((await faultsOfViews("empty", screen)).join("\n")).toBe("");
  });
});

describe("with 10,000 rows in every list there are no accessibility barriers on", () => {
  test.each(screens)("$address", async (screen) => {
    await open(full, screen);
    const isSettings = screen.address === "/admin/settings";
    if (isSettings) expect((await settingsLinks()).toSorted()).toEqual(settingsPages.toSorted());
    expect((await faultsOfViews("full", screen, layoutWidths)).join("\n")).toBe("");
  });
});

describe("by keyboard only, everything is reached, visible and closed on", () => {
  test.each(screens)("$address", async (screen) => {
    await open(full, screen, { mayComplain: true });
    await page.setViewportSize({ width: 1280, height: 900 });
    const faults: string[] = [];
    for (const view of await viewsOf(page)) {
      await show(view);
      faults.push(...(await keyboardFaults(page)), ...(await dialogFaults(page)));
    }
    expect([...new Set(faults)].join("\n")).toBe("");
  });
});

/** Ways in which a call fails: our own error, a proxy's, and no answer. */
const failures = {
  "500": { status: 500, body: { success: false, object: null, message: "Something went wrong." } },
  "503": { status: 503, body: null },
  gone: null,
};

describe("while the server fails, the screen says so and can retry on", () => {
  test.each(screens.filter(({ of }) => of !== "nobody"))("$address", async (screen) => {
    let failing: keyof typeof failures | null = "500";
    let failed = 0;
    const visitor = visitorOf(full, screen);
    await openWatchingCalls({
      visitor,
      expectsFaults: true,
      mayComplain: true,
      changes: withoutAnswers,
    });
    await page.route("**/*", async (route) => {
      const request = route.request();
      const isCall = request.resourceType() === "fetch" && !besideScreen.test(request.url());
      const failure = failing && failures[failing];
      if (!isCall || !failing) return await route.fallback();
      failed += 1;
      if (!failure) return await route.abort();
      const type = failure.body ? "application/json" : "text/html";
      const body = failure.body ? JSON.stringify(failure.body) : "<h1>Service Unavailable</h1>";
      await route.fulfill({ status: failure.status, contentType: type, body });
    });
    await page.goto(addressIn(full, screen));
    await settle();
    if (failed === 0) return; // it makes no calls
    const faults = await faultsOfViews("failing", screen);
    // A field's choices are fetched again while typing; the failure was shown.
    if ((await retry().count()) === 0) expect(watched.alerts).not.toEqual([]);
    if ((await retry().count()) === 0) return expect(faults.join("\n")).toBe("");
    for (const way of ["503", "gone"] as const) {
      failing = way;
      const asked = failed;
      await retry().first().click();
      await expect.poll(() => failed).toBeGreaterThan(asked);
      await settle();
      if ((await retry().count()) === 0) faults.push(`${way}: it offers no other try`);
    }
    failing = null;
    for (let tries = 0; (await retry().count()) > 0 && tries < 8; tries += 1) {
      await retry().first().click();
      await settle();
    }
    if ((await retry().count()) > 0) faults.push("it does not recover");
    expect(faults.join("\n")).toBe("");
  });
});

/** Who is signed in, and the number of pending checks. */
const besideScreen = /\/session|page=1000000/;

const retry = () => page.getByRole("button", { name: "Try again" });

async function open(world: World, screen: Screen, more: { mayComplain?: boolean } = {}) {
  await openWatchingCalls({ visitor: visitorOf(world, screen), ...more });
  await page.goto(addressIn(world, screen));
  await settle();
}

/** Unanswered calls of the page opened last. */
let unanswered: Set<Request>;

async function openWatchingCalls(wanted: Parameters<typeof openPage>[0]): Promise<void> {
  await openPage(wanted);
  const calls = new Set<Request>();
  unanswered = calls;
  page.on("request", (call) => void (call.resourceType() === "fetch" && calls.add(call)));
  page.on("requestfinished", (call) => calls.delete(call));
  page.on("requestfailed", (call) => calls.delete(call));
}

/** Waits until everything requested has arrived and is drawn. */
async function settle(): Promise<void> {
  await page.getByRole("heading", { level: 1 }).first().waitFor();
  await page.waitForLoadState("networkidle");
  await expect.poll(() => unanswered.size).toBe(0);
  await page.evaluate(
    () => new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve))),
  );
  await page.getByText("Loading...", { exact: true }).first().waitFor({ state: "detached" });
}

async function settingsLinks(): Promise<string[]> {
  const links = page.locator("main nav a[href^='/admin/settings/']");
  return await links.evaluateAll((all) =>
    all.map((link) => link.getAttribute("href")?.replace("/admin/settings/", "") ?? ""),
  );
}

/** The names of its tabs; null without tabs. */
async function viewsOf(shown: Page): Promise<(string | null)[]> {
  const tabs = await shown.getByRole("tab").allInnerTexts();
  return tabs.length > 0 ? tabs : [null];
}

async function show(view: string | null): Promise<void> {
  if (view === null) return;
  await page.getByRole("tab", { name: view, exact: true }).click();
  await page.getByRole("tab", { name: view, exact: true, selected: true }).waitFor();
  await settle();
}

async function faultsOfViews(
  world: string,
  screen: Screen,
  more: number[] = [],
): Promise<string[]> {
  const faults: string[] = [];
  for (const view of await viewsOf(page)) {
    await show(view);
    const found = await visualFaults(`${world}-${screen.address}-${view ?? ""}`, more);
    faults.push(...found.map((fault) => `${view ?? ""} ${fault}`));
  }
  return faults;
}

async function visualFaults(name: string, more: number[]): Promise<string[]> {
  const faults: string[] = [];
  for (const width of [...more, ...themeWidths]) faults.push(...(await misfitsAt(page, width)));
  for (const width of themeWidths) {
    await page.setViewportSize({ width, height: 900 });
    const barriers = await barriersOf(page, { inDark: true, targets: true });
    faults.push(...barriers.map((barrier) => `${width} px: ${barrier}`));
    await takePictures(name, width);
  }
  return [...new Set(faults)];
}

async function takePictures(name: string, width: number) {
  const folder = process.env["SCREEN_PICTURES"];
  if (!folder) return;
  mkdirSync(folder, { recursive: true });
  for (const colorScheme of ["light", "dark"] as const) {
    if (colorScheme === "dark" && width !== 1280 && width !== 375) continue;
    await page.emulateMedia({ colorScheme });
    await page.screenshot({
      path: `${folder}/${name.replaceAll(/\W+/g, "-")}.${width}.${colorScheme}.png`,
    });
  }
  await page.emulateMedia({ colorScheme: "light" });
}
