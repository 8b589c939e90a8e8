import type { Page } from "playwright-core";

/** A phone of 375 px with a touch screen. */
export const phone = { viewport: { width: 375, height: 740 }, isMobile: true, hasTouch: true };

/** The common definition of 4G for measuring pages: 9 Mbit/s each way, and 170 ms for each answer. */
const fourG = { latency: 170, downloadThroughput: 9e6 / 8, uploadThroughput: 9e6 / 8 };

/** From now on a page has a 4G network and a processor four times slower, by Chromium's own protocol. */
export async function slowDown(page: Page): Promise<void> {
  const protocol = await page.context().newCDPSession(page);
  await protocol.send("Network.enable");
  await protocol.send("Network.emulateNetworkConditions", { offline: false, ...fourG });
  await protocol.send("Emulation.setCPUThrottlingRate", { rate: 4 });
}

export interface Paint {
  /** When the largest content was shown, in milliseconds from the navigation. */
  largestMs: number;
  /** Cumulative layout shift. */
  shift: number;
}

interface LayoutShift extends PerformanceEntry {
  value: number;
  hadRecentInput: boolean;
}

/** What a page has shown so far, and when. */
export async function paintOf(page: Page): Promise<Paint> {
  return await page.evaluate(async () => {
    const entriesOf = (type: string) =>
      new Promise<PerformanceEntry[]>((resolve) => {
        const found = new PerformanceObserver((list) => resolve(list.getEntries()));
        found.observe({ type, buffered: true });
        // Without a shift the observer is not called: it is up to date after the next frame.
        requestAnimationFrame(() => setTimeout(() => resolve(found.takeRecords()), 50));
      });
    const largest = (await entriesOf("largest-contentful-paint")).at(-1);
    const shifts = (await entriesOf("layout-shift")) as LayoutShift[];
    return {
      largestMs: largest?.startTime ?? Number.NaN,
      shift: shifts.reduce(
        (sum, { value, hadRecentInput }) => sum + (hadRecentInput ? 0 : value),
        0,
      ),
    };
  });
}
