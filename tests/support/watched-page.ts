import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { AxeBuilder } from "@axe-core/playwright";
import type { Browser, Page } from "playwright-core";
import { cspReportsPath } from "#kit/http/security-headers.ts";
import { inBriefOr } from "#tests/support/rounds.ts";
import { phone } from "#tests/support/slow-phone.ts";
import type { Visitor } from "#tests/support/visitor.ts";

export interface WatchedPage {
  page: Page;
  /** What the browser asked or said in its own dialogs so far; each was agreed to. */
  alerts: string[];
  /** Let a page that hears nothing hear of changes over the lines that it opens from now on. */
  letHear(): void;
  /** What the page showed, said and was refused: for a test that fails. */
  described(): Promise<string>;
  /** Throws when the page complained to the console; refusals by the server (4xx) are none. */
  close(): Promise<void>;
}

interface Wanted {
  /** Where the app listens. */
  address: string;
  /** Whoever is signed in. */
  visitor: Visitor;
  /** The instant that the browser takes for now; it stands still. Default: the real time. */
  clock?: string;
  /** A phone of 375 px, with a finger for a mouse. */
  isPhone?: boolean;
  /** It complains, rightly, of what the test has it miss. */
  mayComplain?: boolean;
  /** The test has ordered something to fail: answers of 5xx, scripts changed, and reports of them, are no complaints then. */
  expectsFaults?: boolean;
  /** Nothing tells the page to ask again by itself: it asks for what this test has it ask for. */
  hearsNothing?: boolean;
}

/** Sooner than the test's own, so that it says what it waited for; a busy machine is late, not wrong. */
const timeoutMs = 120_000;

/** A browser's page of someone who is signed in. */
export async function aWatchedPage(browser: Browser, wanted: Wanted): Promise<WatchedPage> {
  const context = await browser.newContext({
    baseURL: wanted.address,
    reducedMotion: "reduce", // colours on their way to others are no fault
    ...(wanted.isPhone && phone),
  });
  await context.addCookies(
    [...wanted.visitor.cookies].map(([name, value]) => ({ name, value, url: wanted.address })),
  );
  const page = await context.newPage();
  page.setDefaultTimeout(timeoutMs);
  if (wanted.clock) await page.clock.setFixedTime(wanted.clock);
  let hears = false;
  if (wanted.hearsNothing)
    await page.routeWebSocket(/\/cable/, (line) => void (hears && line.connectToServer()));
  const alerts: string[] = [];
  const complaints: string[] = [];
  const refusals: string[] = [];
  page.on("response", (answer) => {
    if (answer.status() >= 400)
      refusals.push(
        `${answer.request().method()} ${new URL(answer.url()).pathname}: ${answer.status()}`,
      );
  });
  page.on("request", (report) => {
    if (new URL(report.url()).pathname === cspReportsPath && !wanted.expectsFaults)
      complaints.push(`It reports ${report.postData()}.`);
  });
  page.on("dialog", async (dialog) => {
    alerts.push(dialog.message());
    await dialog.accept().catch((problem: unknown) => {
      // The page was closed, or left, with the dialog open.
      if (!page.isClosed() && !/Not attached to an active page/.test(String(problem)))
        throw problem;
    });
  });
  page.on("pageerror", (error) => complaints.push(error.message));
  page.on("console", (message) => {
    const expected = wanted.expectsFaults ? "45" : "4";
    const isRefusal = new RegExp(`responded with a status of [${expected}]`).test(message.text());
    const isChanged = /'integrity' attribute/.test(message.text()) && wanted.expectsFaults === true;
    if (message.type() === "error" && !isRefusal && !isChanged) complaints.push(message.text());
  });
  return {
    page,
    alerts,
    letHear: () => void (hears = true),
    described: async () => {
      const shown = await page.locator("body").innerText({ timeout: 5000 });
      return [
        `The page at ${page.url()} showed:`,
        shown.slice(0, 3000),
        `It said: ${[...alerts, ...complaints].join("; ") || "nothing"}.`,
        `It was refused: ${refusals.join("; ") || "nothing"}.`,
      ].join("\n");
    },
    close: async () => {
      await context.close();
      if (!wanted.mayComplain && complaints.length > 0)
        throw new Error(`The browser complained: ${complaints.join("; ")}`);
    },
  };
}

/**
 * What stands in the way of people who use the page differently, or the dialog that is open; none is
 * best. Colours in dark are looked at as well in `npm run test:full`, and where it is asked for.
 */
export async function barriersOf(
  page: Page,
  { inDark = inBriefOr(false, true), targets = false } = {},
): Promise<string[]> {
  const isDialogOpen = (await page.getByRole("dialog").count()) > 0;
  // Once a page: the library puts all of axe, in its long form, into the page and its frames twice a look.
  const hasAxe = await page.evaluate(() => "axe" in window);
  if (!hasAxe) await page.evaluate(axeSource());
  const axe = () => {
    // What frames hold is others', so what the library does for frames, in a page of its own, is not needed.
    const builder = new AxeBuilder({ page, axeSource: "/* The page has it by now. */" })
      .options({
        resultTypes: ["violations"], // what is in order is looked at all the same, and not described
        rules: { "target-size": { enabled: targets } },
      })
      .setLegacyMode()
      .exclude("iframe");
    return isDialogOpen ? builder.include("dialog[open]") : builder;
  };
  const { violations } = await axe().analyze();
  if (inDark) {
    await page.emulateMedia({ colorScheme: "dark" });
    const again = axe().withRules("color-contrast");
    violations.push(...(await again.analyze()).violations);
    await page.emulateMedia({ colorScheme: "light" });
  }
  return violations.map(
    ({ id, help, nodes }) =>
      `${id}, ${help}: ${nodes.map((node) => `${node.html} ${node.failureSummary}`).join(" ")}`,
  );
}

let sourceOfAxe: string | undefined;

/** Of the version that the library brings, in its short form. */
function axeSource(): string {
  const library = createRequire(import.meta.url).resolve("@axe-core/playwright");
  sourceOfAxe ??= readFileSync(createRequire(library).resolve("axe-core/axe.min.js"), "utf8");
  return sourceOfAxe;
}

/** By how many pixels a page is wider than a phone of 375. */
export async function overflowOnPhone(page: Page): Promise<number> {
  const before = page.viewportSize();
  await page.setViewportSize({ width: 375, height: 740 });
  // The page hears of its size a frame or more later; what is too wide stays so.
  const fits = () => document.documentElement.scrollWidth <= document.documentElement.clientWidth;
  await page.waitForFunction(fits).catch(() => undefined);
  const overflow = await page.evaluate(
    () => document.documentElement.scrollWidth - document.documentElement.clientWidth,
  );
  if (before) await page.setViewportSize(before);
  return overflow;
}
