import type { Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import { addAttorney } from "#people/contract.ts";
import { answersIn } from "#tests/support/page-answers.ts";
import { testPassword } from "#tests/support/passwords.ts";
import { inBriefOr } from "#tests/support/rounds.ts";
import {
  aNetworkForEveryScreen,
  aNetworkWithCardPayment,
} from "#tests/support/network-for-every-screen.ts";
import { openStage, type Stage } from "#tests/support/built-app-and-browser.ts";
import { aVisitor, type Visitor } from "#tests/support/visitor.ts";
import { aWatchedPage, type WatchedPage } from "#tests/support/watched-page.ts";

/*
 * A page brings what its first screen needs: nothing that the document could have named waits for something
 * else. The bench measures the seconds (docs/performance.md).
 */

let stage: Stage;
let made: Awaited<ReturnType<typeof aNetworkForEveryScreen>>;
/** A network that takes cards: its lawyers' screens have a card form. */
let cardNetwork: Awaited<ReturnType<typeof aNetworkWithCardPayment>>;
let watched: WatchedPage | undefined;

beforeAll(async () => {
  stage = await openStage();
  made = await aNetworkForEveryScreen(stage.app);
  cardNetwork = await aNetworkWithCardPayment(stage.app);
});

afterAll(async () => await stage?.close());
afterEach(async () => {
  await watched?.close();
  watched = undefined;
});

const byAdmin = (): Visitor => made.admin;
const byLawyer = (): Visitor => made.lawyer;
const byNobody = (): Visitor => aVisitor(stage.app);

interface Opened {
  path: string;
  who: () => Visitor;
  /** The end of the address: a record that is made before. */
  id?: () => number;
}

/** Every screen that `App` lists. */
const screens: Opened[] = [
  { path: "/sign-in", who: byNobody },
  { path: "/sign-in/link", who: byNobody },
  { path: "/sign-in/address", who: byNobody },
  { path: "/account", who: byLawyer },
  { path: "/account/security", who: byLawyer },
  { path: "/receipts/", who: byLawyer, id: () => made.records.receipt },
  { path: "/statements/", who: byLawyer, id: () => made.attorney.id },
  { path: "/dashboard", who: byLawyer },
  { path: "/dashboard/referrals", who: byLawyer },
  { path: "/admin", who: byAdmin },
  { path: "/admin/card-payments", who: byAdmin },
  {
    path: "/admin/card-payments/",
    who: () => cardNetwork.admin,
    id: () => cardNetwork.cardPayment,
  },
  { path: "/admin/due-but-not-billed", who: byAdmin },
  { path: "/admin/mail", who: byAdmin },
  { path: "/admin/attorneys", who: byAdmin },
  { path: "/admin/attorneys/import", who: byAdmin },
  { path: "/admin/attorneys/", who: byAdmin, id: () => made.attorney.id },
  { path: "/admin/matters", who: byAdmin },
  { path: "/admin/matters/new", who: byAdmin },
  { path: "/admin/matters/import", who: byAdmin },
  { path: "/admin/matters/", who: byAdmin, id: () => made.records.matter },
  { path: "/admin/subscriptions", who: byAdmin },
  { path: "/admin/checks", who: byAdmin },
  { path: "/admin/checks/new", who: byAdmin },
  { path: "/admin/checks/", who: byAdmin, id: () => made.records.check },
  { path: "/admin/plans/", who: byAdmin, id: () => made.records.plan },
  { path: "/admin/firms", who: byAdmin },
  { path: "/admin/firms/", who: byAdmin, id: () => made.records.firm },
  { path: "/admin/deposits", who: byAdmin },
  { path: "/admin/deposits/new", who: byAdmin },
  { path: "/admin/deposits/", who: byAdmin, id: () => made.records.deposit },
  { path: "/admin/receivables", who: byAdmin },
  { path: "/admin/journal", who: byAdmin },
  { path: "/admin/debits", who: byAdmin },
  { path: "/admin/payments", who: byAdmin },
  { path: "/admin/reports", who: byAdmin },
  { path: "/admin/activity", who: byAdmin },
  { path: "/admin/settings", who: byAdmin },
  { path: "/admin/settings/network", who: byAdmin },
];

/** The firm or attorney filter, once the list is shown. */
const withRecordFilter = ["/admin/attorneys", "/admin/journal", "/admin/matters", "/admin/debits"];
const isLoadedLater = (path: string, file: string) =>
  withRecordFilter.includes(path) && /\/administration-forms-/.test(file);

/** Screens where people arrive. */
const entrances = ["/sign-in", "/dashboard", "/admin", "/admin/attorneys/"];

test.each(
  inBriefOr(
    screens.filter(({ path }) => entrances.includes(path)),
    screens,
  ),
)(
  "at $path the document names every file, and calls that it answers are not made",
  async ({ path, who, id }) => {
    const { asked, html } = await open(who(), `${path}${id?.() ?? ""}`, { isHeard: false });
    const unnamed = asked.files.filter((file) => !html.includes(`"${file}"`));
    expect(unnamed.filter((file) => !isOfCable.test(file) && !isLoadedLater(path, file))).toEqual(
      [],
    );
    const answered = Object.keys(answersIn(html)).map(pathOf);
    expect(answered).toContain("/session");
    expect(asked.calls.map(pathOf).filter((call) => answered.includes(call))).toEqual([]);
  },
);

test("a screen opened again refetches: the page's answer was only for its first load", async () => {
  const { page } = await open(made.admin, "/admin/attorneys", { isHeard: false });
  await page.getByRole("row", { name: /Ada Byron/ }).waitFor();
  await made.admin.call(addAttorney, {
    body: { first_name: "Grace", last_name: "Hopper", email: "grace@example.test" },
  });
  await follow(page, "Subscriptions");
  await page.getByRole("heading", { name: "Subscriptions", exact: true }).waitFor();
  await follow(page, "Attorneys");
  const row = page.getByRole("row", { name: /Grace Hopper/ });
  await row.waitFor();
  expect(await row.count()).toBe(1);
});

test("a second person who signs in in the same tab sees their own account", async () => {
  const { page } = await open(byNobody(), "/sign-in");
  await signInOn(page, made.attorney.email);
  await page.getByText("You owe $175.50").waitFor();
  await follow(page, "Ada Byron");
  await page.getByRole("button", { name: "Sign out" }).click();
  await signInOn(page, made.network.admin.email);
  await page.getByRole("heading", { name: "Today", exact: true }).waitFor();
  await page.getByRole("button", { name: "Menu" }).click();
  await page.getByRole("link", { name: made.network.admin.name }).waitFor();
  const navigation = page.getByRole("navigation", { name: "Main" });
  expect(await navigation.getByRole("link", { name: "Ada Byron", exact: true }).count()).toBe(0);
  expect(watched?.alerts).toEqual([]);
});

/** The client of the real-time channel: the screen does not wait for it. */
const isOfCable = /\/cable-client-[\w-]+\.js$/;

const pathOf = (address: string) => address.split("?")[0] ?? "";

interface Asked {
  /** Scripts and styles. */
  files: string[];
  /** API calls. */
  calls: string[];
}

/**
 * Open a page on a phone and wait for its first screen. With `isHeard: false` it has opened its socket by
 * then, which comes after all the screen's calls, and no hint makes it refetch.
 */
async function open(visitor: Visitor, path: string, { isHeard = true } = {}) {
  const { address, browser } = stage;
  watched = await aWatchedPage(browser, { address, visitor, isPhone: true });
  const { page } = watched;
  const asked: Asked = { files: [], calls: [] };
  page.on("request", (request) => {
    const { pathname, search } = new URL(request.url());
    if (["script", "stylesheet"].includes(request.resourceType())) asked.files.push(pathname);
    if (request.resourceType() === "fetch") asked.calls.push(pathname + search);
  });
  const { promise: isListening, resolve } = Promise.withResolvers<void>();
  if (!isHeard) await page.routeWebSocket(/\/cable$/, () => resolve());
  const html = (await (await page.goto(path))?.text()) ?? "";
  await page.getByRole("heading", { level: 1 }).waitFor();
  if (!isHeard && !path.startsWith("/sign-in")) await isListening;
  return { page, asked, html };
}

async function follow(page: Page, name: string): Promise<void> {
  await page.getByRole("button", { name: "Menu" }).click();
  await page.getByRole("link", { name, exact: true }).click();
}

async function signInOn(page: Page, email: string): Promise<void> {
  await page.getByLabel("Email address").fill(email);
  await page.getByLabel("Password").fill(testPassword);
  await page.getByRole("button", { name: "Sign in" }).click();
}
