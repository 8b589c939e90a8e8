import type { Browser, Page } from "playwright-core";
import { startSandboxes, type Sandboxes } from "#sandboxes/start.ts";
import { builtWebFolder } from "#main/app.ts";
import { sharedBrowser } from "#tests/support/chromium.ts";
import { freePort } from "#tests/support/launched.ts";
import { anApp, type RunningApp } from "#tests/support/running-app.ts";

export interface CardApp {
  app: RunningApp;
  sandboxes: Sandboxes;
  browser: Browser;
  address: string;
  /** The lines of the log, from warnings on. */
  logged: Record<string, unknown>[];
  close(): Promise<void>;
}

/**
 * The app at localhost, the processors at 127.0.0.1: another site to the browser, under the app's own
 * Content-Security-Policy.
 */
export async function aCardApp(more: { processorTimeoutMs?: number } = {}): Promise<CardApp> {
  const sandboxes = await startSandboxes({ port: 0 });
  const port = await freePort();
  const address = `http://localhost:${port}`;
  const logged: CardApp["logged"] = [];
  const app = await anApp({
    webFolder: builtWebFolder,
    publicUrl: address,
    origins: [address],
    sandboxes: sandboxes.addresses,
    logLevel: "warn",
    logTo: { write: (line: string) => void logged.push(JSON.parse(line)) },
    ...more,
  });
  await app.server.listen({ port, host: "127.0.0.1" });
  const browser = await sharedBrowser();
  const close = async () => {
    await app.close();
    await sandboxes.close();
  };
  return { app, sandboxes, browser, address, logged, close };
}

/** The text of each row of a table's body. */
export async function rowsOf(page: Page, table: string): Promise<string[]> {
  const rows = page.getByRole("table", { name: table }).locator("tbody tr:has(th)");
  await rows.first().waitFor();
  const texts = await rows.allInnerTexts();
  return texts.map((text) => text.replace(/\s+/g, " ").trim());
}

/** On the dashboard: ask to pay everything owed. */
export async function askToPayAll(page: Page): Promise<void> {
  await page.getByRole("button", { name: "Pay all in full" }).click();
  await page.getByRole("button", { name: "Pay", exact: true }).click();
}
