import type { Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, beforeEach } from "vitest";
import { processors } from "#cards/processors/processors.ts";
import type { ProcessorName } from "#cards/shapes.ts";
import { type MadeNetwork } from "#main/demo/records/networks.ts";
import { makeNetwork } from "#tests/support/records/networks.ts";
import { aCardApp, type CardApp } from "#tests/support/card-app.ts";
import { anotherDebtor } from "#tests/support/card-network.ts";
import { signedIn } from "#tests/support/visitor.ts";
import { aWatchedPage, type WatchedPage } from "#tests/support/watched-page.ts";

/* The card settings of a network that takes no cards yet, with an attorney who owes $100.00. */

export let cards: CardApp;
let network: MadeNetwork;
let attorney: Awaited<ReturnType<typeof anotherDebtor>>;
let open: WatchedPage[] = [];
/** The test's administrator page, at the settings. */
export let settings: WatchedPage;
export let page: Page;

/** Start the app with the file; its tests share the network, so each test's settings stay for the next. */
export function useCardSettings(): void {
  beforeAll(async () => {
    cards = await aCardApp();
    network = await makeNetwork(cards.app.db);
    attorney = await anotherDebtor(cards.app, network, [10_000]);
  });
  afterAll(() => cards?.close());

  beforeEach(async () => {
    settings = await watch("admin");
    page = settings.page;
    await page.goto("/admin/settings");
  });
  afterEach(async () => {
    const pages = open;
    open = [];
    for (const each of pages) await each.close();
  });
}

/** A page of one of the two; it is closed with the test, which fails if it reported a problem. */
export async function watch(who: "admin" | "attorney"): Promise<WatchedPage> {
  const visitor = who === "admin" ? await signedIn(cards.app, "admin", network) : attorney.visitor;
  const watched = await aWatchedPage(cards.browser, { address: cards.address, visitor });
  open.push(watched);
  return watched;
}

/** Keys that the processor's sandbox accepts. */
export const keysOf = (name: ProcessorName): Record<string, string> =>
  cards.sandboxes.accounts[name];

/** Choose a processor, on its sandbox. */
export async function choose(name: ProcessorName): Promise<void> {
  await page.getByLabel("Card processor", { exact: true }).selectOption(name);
  await page.getByLabel(/^Sandbox/).check();
}

export async function typeKeys(name: ProcessorName, keys: Record<string, string>): Promise<void> {
  for (const field of processors[name].fields) {
    const label = field.isRequired ? field.label : `${field.label} (optional)`;
    await page.getByLabel(label, { exact: true }).fill(keys[field.name] ?? "");
  }
}

export const save = () => page.getByRole("button", { name: "Save card processor" }).click();
