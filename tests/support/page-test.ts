import type { AddressInfo } from "node:net";
import type { Browser, Page } from "playwright-core";
import { afterEach, expect } from "vitest";
import { builtWebFolder } from "#main/app.ts";
import { apart, type AppSettings, type People, peopleTest } from "#tests/support/app-test.ts";
import { anAppThatTakesCards } from "#tests/support/card-test.ts";
import { aServerThatChanges, type Change } from "#tests/support/changed-pages.ts";
import { sharedBrowser } from "#tests/support/chromium.ts";
import { freePort } from "#tests/support/launched.ts";
import { inBriefOr } from "#tests/support/rounds.ts";
import { anApp } from "#tests/support/running-app.ts";
import {
  aWatchedPage,
  barriersOf,
  overflowOnPhone,
  type WatchedPage,
} from "#tests/support/watched-page.ts";

/** The address of the file's server with built screens, and the browser. */
export let address: string;
export let browser: Browser;
/** The test's page that was opened last. */
export let watched: WatchedPage;
export let page: Page;

interface Opening {
  /** Whose page is open when a test begins; nobody's by default. */
  by?: "admin" | "lawyer";
  takesCards?: boolean;
  /** Use the browser's address as the server's public one: passkeys are bound to it. */
  knowsItsAddress?: boolean;
}

/** True if axe has checked that page. */
let isCheckedByAxe = false;
const ends: (() => Promise<void>)[] = [];
let clockOfFile: string | undefined;

/** `appTest` for what people see: the product with its built screens, and pages of a browser. */
export function pageTest(wanted: AppSettings & People & Opening = {}) {
  const { by, takesCards, knowsItsAddress, ...more } = wanted;
  const { people, settings } = apart(more);
  const open = async () => {
    const openApp = takesCards ? anAppThatTakesCards : anApp;
    const wantedPort = knowsItsAddress ? await freePort() : 0;
    const publicUrl = knowsItsAddress ? `http://localhost:${wantedPort}` : undefined;
    const own = publicUrl === undefined ? {} : { publicUrl, origins: [publicUrl] };
    const opened = await openApp({ webFolder: builtWebFolder, ...own, ...settings });
    await opened.server.listen({ port: wantedPort, host: "127.0.0.1" });
    const { port } = opened.server.server.address() as AddressInfo; // it listens on a port, not a pipe
    address = `http://localhost:${port}`;
    browser = await sharedBrowser();
    clockOfFile = settings.clock;
    return opened;
  };
  // Before the test's own cleanup: a server that stops first makes the page report errors.
  afterEach(async ({ task }) => {
    if (task.result?.state === "fail" && ends.length > 0)
      process.stderr.write(`${await watched.described().catch(String)}\n`);
    for (const end of ends.splice(0)) await end();
  });
  return peopleTest(open, people).extend(
    "page",
    { auto: true },
    async ({ people: made }) => void (by && (await openPage({ visitor: made[by] }))),
  );
}

type Wanted = Omit<Parameters<typeof aWatchedPage>[1], "address"> & {
  /** Another address than the file's server. */
  address?: string;
  /** How a server of the test changes the pages' documents on their way. */
  changes?: Change;
};

/**
 * Open someone's page, with the file's clock. It is closed with the test, which fails if it reported a
 * problem.
 */
export async function openPage({ changes, ...wanted }: Wanted): Promise<WatchedPage> {
  const own = wanted.address ?? address;
  const server = changes && (await aServerThatChanges(own, changes));
  const at = server?.address ?? own;
  const opened = await aWatchedPage(browser, { clock: clockOfFile, ...wanted, address: at });
  ends.push(() => opened.close().finally(() => server?.close()));
  watched = opened;
  isCheckedByAxe = false;
  ({ page } = opened);
  return opened;
}

/**
 * The open page, or its open dialog, has no accessibility barriers, and fits a phone. Of the views that a
 * page shows one after the other, `npm test` checks the first: a check takes as long as loading the page
 * (decision 055).
 */
export async function expectNoBarriers(): Promise<void> {
  if (inBriefOr(isCheckedByAxe, false)) return;
  isCheckedByAxe = true;
  expect(await barriersOf(page)).toEqual([]);
  expect(await overflowOnPhone(page)).toBe(0);
}
