import type { Page } from "playwright-core";
import { expect } from "vitest";
import { admin } from "#tests/support/app-test.ts";
import { address, openPage } from "#tests/support/page-test.ts";
import type { Visitor } from "#tests/support/visitor.ts";
import type { WatchedPage } from "#tests/support/watched-page.ts";

/* Pages that get hints of changes, with their hints and requests. */

/** An open page, its hints and its requests. */
export interface Screen {
  watched: WatchedPage;
  page: Page;
  /** What it requested from the server. */
  asked: string[];
  /** The attorney of each hint so far; null for many. */
  hints(): (number | null)[];
}

/** Open a page and wait until it gets hints. */
export async function openScreen(
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
  await page.addInitScript(recordActivity);
  await page.goto(path);
  const channels = visitor === admin ? 2 : 1;
  await page.waitForFunction((count) => window.work.channelsHeard === count, channels);
  const hints = () =>
    frames.flatMap(({ message }) =>
      typeof message === "object" && message.type === "subscriptions_changed"
        ? [message.attorney_id]
        : [],
    );
  return { watched, page, asked, hints };
}

/** Wait until no request is under way or scheduled. */
export async function becalmed({ page }: Screen): Promise<void> {
  await page.waitForFunction(() => window.work.callsUnderWay + window.work.timers.size === 0);
}

/** When each page was loaded. */
export async function loadingsOf(...pages: Page[]): Promise<number[]> {
  return await Promise.all(pages.map((page) => page.evaluate(() => performance.timeOrigin)));
}

/** A page's activity, as the script in it records. */
interface Work {
  /** When it decided to request each address, in milliseconds by its own clock. */
  askings: Map<string, number[]>;
  /** Calls whose answer has not been read yet, or only just now. */
  callsUnderWay: number;
  /** Timers shorter than the cable's interval between checks of its connection. */
  timers: Set<number>;
  /** How many of its channel subscriptions were confirmed. */
  channelsHeard: number;
}

declare global {
  interface Window {
    work: Work;
  }
}

/**
 * In the page: record when it decides to request each address, by the last reading of its own clock. On a
 * busy machine a request goes out up to a tenth of a second after that, sometimes later, sometimes sooner.
 * Also record whether more is to come: a hint becomes a timer, and the timer a call.
 */
function recordActivity(): void {
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

/** When a page requested each address, in milliseconds, by its own clock. */
export async function askingsOf(page: Page): Promise<number[][]> {
  const noted = await page.evaluate(() => [...window.work.askings.values()]);
  expect(noted.length).toBeGreaterThan(0);
  return noted;
}
