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

/** Where the server of the file shows its built screens, and the browser beside it. */
export let address: string;
export let browser: Browser;
/** Of each test: the page that was opened last. */
export let watched: WatchedPage;
export let page: Page;

interface Opening {
  /** Whose page is open when a test begins; nobody's unless it is said. */
  by?: "admin" | "lawyer";
  takesCards?: boolean;
  /** The server takes the address that the browser has for its public one: passkeys are made for it. */
  knowsItsAddress?: boolean;
}

/** Whether axe has looked at that page. */
let isLookedAt = false;
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
  // Before what a test itself ends with: a server that goes first is complained of.
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
  /** Elsewhere than the server of the file. */
  address?: string;
  /** How the documents of its pages are changed on their way, by a server of the test's. */
  changes?: Change;
};

/** Open a page of somebody's, by the clock of the file; it is closed with the test, which fails if it complained. */
export async function openPage({ changes, ...wanted }: Wanted): Promise<WatchedPage> {
  const own = wanted.address ?? address;
  const server = changes && (await aServerThatChanges(own, changes));
  const at = server?.address ?? own;
  const opened = await aWatchedPage(browser, { clock: clockOfFile, ...wanted, address: at });
  ends.push(() => opened.close().finally(() => server?.close()));
  watched = opened;
  isLookedAt = false;
  ({ page } = opened);
  return opened;
}

/**
 * Nothing on the open page, or in its open dialog, keeps anybody out, and it fits a phone. Of what a page comes to show
 * one after the other, `npm test` looks at the first: a look takes as long as loading the page (decision 055).
 */
export async function expectNoBarriers(): Promise<void> {
  if (inBriefOr(isLookedAt, false)) return;
  isLookedAt = true;
  expect(await barriersOf(page)).toEqual([]);
  expect(await overflowOnPhone(page)).toBe(0);
}
