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
  /** The messages of the browser's own dialogs so far; each was accepted. */
  alerts: string[];
  /** Let an unheard page get hints over the sockets that it opens from now on. */
  letHear(): void;
  /** What the page showed, said and was refused: for a failing test's message. */
  described(): Promise<string>;
  /** Throws if the page logged errors to the console; refusals by the server (4xx) do not count. */
  close(): Promise<void>;
}

interface Wanted {
  /** The app's address. */
  address: string;
  /** Who is signed in. */
  visitor: Visitor;
  /** The instant that the browser takes as now; it does not move. Default: the real time. */
  clock?: string;
  /** A phone of 375 px, with a touch screen. */
  isPhone?: boolean;
  /** Errors are expected, since the test takes something away from the page. */
  mayComplain?: boolean;
  /** The test causes failures: answers of 5xx, changed scripts and reports of them are then expected. */
  expectsFaults?: boolean;
  /** The page gets no hints to refetch: it requests only what this test makes it request. */
  hearsNothing?: boolean;
}

/**
 * Shorter than the test's own, so that the message says what it waited for; a busy machine is late, not
 * wrong.
 */
const timeoutMs = 120_000;

/** A browser's page of someone who is signed in. */
export async function aWatchedPage(browser: Browser, wanted: Wanted): Promise<WatchedPage> {
  const context = await browser.newContext({
    baseURL: wanted.address,
    reducedMotion: "reduce", // colours in transition are not a fault
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
 * Accessibility barriers of the page, or of the open dialog; should be empty. `npm run test:full` checks dark
 * colours too, and so does a call that asks for it.
 */
export async function barriersOf(
  page: Page,
  { inDark = inBriefOr(false, true), targets = false } = {},
): Promise<string[]> {
  const isDialogOpen = (await page.getByRole("dialog").count()) > 0;
  // Once per page: the library inserts all of axe, unminified, into the page and its frames twice a check.
  const hasAxe = await page.evaluate(() => "axe" in window);
  if (!hasAxe) await page.evaluate(axeSource());
  const axe = () => {
    // Frames have other sites' content, so the library's separate page for frames is not needed.
    const builder = new AxeBuilder({ page, axeSource: "/* The page has it by now. */" })
      .options({
        resultTypes: ["violations"], // passed rules are checked, but not described
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

/** The version that the library includes, minified. */
function axeSource(): string {
  const library = createRequire(import.meta.url).resolve("@axe-core/playwright");
  sourceOfAxe ??= readFileSync(createRequire(library).resolve("axe-core/axe.min.js"), "utf8");
  return sourceOfAxe;
}

/** By how many pixels a page is wider than a phone of 375. */
export async function overflowOnPhone(page: Page): Promise<number> {
  const before = page.viewportSize();
  await page.setViewportSize({ width: 375, height: 740 });
  // The page is resized a frame or more later; an overflow persists.
  const fits = () => document.documentElement.scrollWidth <= document.documentElement.clientWidth;
  await page.waitForFunction(fits).catch(() => undefined);
  const overflow = await page.evaluate(
    () => document.documentElement.scrollWidth - document.documentElement.clientWidth,
  );
  if (before) await page.setViewportSize(before);
  return overflow;
}
