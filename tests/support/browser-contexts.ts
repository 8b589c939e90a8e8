import type { Browser, BrowserContext, Page } from "playwright-core";
import { phone } from "#tests/support/slow-phone.ts";

/** What the pages of a context have in common. */
export interface ContextSettings {
  /** Where the app listens. */
  address: string;
  /** The instant that the browser takes for now; it stands still. Default: the real time. */
  clock?: string;
  /** A phone of 375 px, with a finger for a mouse. */
  isPhone?: boolean;
  /** Nothing of the app has been loaded yet; and what cannot be undone, as a clock that runs, is the test's own. */
  isFirstVisit?: boolean;
}

export interface BorrowedContext {
  context: BrowserContext;
  page: Page;
  /** Close its pages, and let another test have it without anything that is kept in a browser. */
  giveBack: () => Promise<void>;
}

interface KeptContext {
  context: BrowserContext;
  /** A page without scripts, from which the others are opened: they share its process and what it has compiled. */
  opener: Page;
}

const idle = new Map<string, KeptContext[]>();

/**
 * A page in a context that no other test uses meanwhile. One that was used before, of the same file,
 * has the app's scripts at hand: to load and compile them anew is half the work of opening a page.
 */
export async function borrowContext(
  browser: Browser,
  { isFirstVisit = false, ...settings }: ContextSettings,
): Promise<BorrowedContext> {
  if (isFirstVisit) {
    const context = await newContext(browser, settings);
    return { context, page: await context.newPage(), giveBack: () => context.close() };
  }
  const key = JSON.stringify([settings.address, settings.clock, settings.isPhone]);
  await closeThoseOfOtherFiles(settings.address);
  const left = idle.get(key)?.pop();
  const isThere = left && !left.opener.isClosed(); // it goes with its browser
  const kept = isThere ? left : await keptContext(browser, settings);
  const { context, opener } = kept;
  const [page] = await Promise.all([
    context.waitForEvent("page"),
    opener.evaluate(() => void window.open("about:blank")),
  ]);
  const giveBack = async () => {
    if (opener.isClosed()) return; // by the test
    for (const each of context.pages()) if (each !== opener) await each.close();
    await context.setOffline(false);
    await context.clearPermissions();
    await context.clearCookies();
    await opener.evaluate(() => localStorage.clear());
    idle.set(key, [...(idle.get(key) ?? []), kept]);
  };
  return { context, page, giveBack };
}

async function keptContext(browser: Browser, settings: ContextSettings): Promise<KeptContext> {
  const context = await newContext(browser, settings);
  const opener = await context.newPage();
  await opener.goto("/healthz");
  return { context, opener };
}

async function newContext(
  browser: Browser,
  { address, clock, isPhone }: ContextSettings,
): Promise<BrowserContext> {
  const context = await browser.newContext({
    baseURL: address,
    reducedMotion: "reduce", // colours on their way to others are no fault
    ...(isPhone && phone),
  });
  if (clock) await context.clock.setFixedTime(clock);
  return context;
}

/** Each file has a server of its own, at another address. */
async function closeThoseOfOtherFiles(address: string): Promise<void> {
  const others = [...idle].filter(
    ([key]) => !key.startsWith(JSON.stringify([address]).slice(0, -1)),
  );
  for (const [key, contexts] of others) {
    idle.delete(key);
    for (const { context } of contexts) await context.close();
  }
}
