import type { Page } from "playwright-core";
import { afterAll, afterEach, beforeAll } from "vitest";
import type { ProcessorName } from "#cards/shapes.ts";
import { aCardApp, askToPayAll, type CardApp } from "#tests/support/card-app.ts";
import { cardOf } from "#tests/support/card-browser.ts";
import { aDebtor, type Debtor } from "#tests/support/card-network.ts";
import { fillCard } from "#tests/support/card-page.ts";
import { signedIn, type Visitor } from "#tests/support/visitor.ts";
import { aWatchedPage, type WatchedPage } from "#tests/support/watched-page.ts";

/* Pages of attorneys who owe $50.00 and $30.00 and pay both by card, and of their administrators. */

export let cards: CardApp;
/** The attorney whose page was opened last. */
export let debtor: Debtor;
/** The pages of the test, in the order in which they were opened. */
export let open: WatchedPage[] = [];

/** Start the app with the file; close the pages of each test, which fails if one reported a problem. */
export function useCardPayers(): void {
  beforeAll(async () => void (cards = await aCardApp({ processorTimeoutMs: 4_000 })));
  afterAll(() => cards?.close());
  afterEach(async () => {
    const pages = open;
    open = [];
    cards.sandboxes.reset();
    for (const page of pages) await page.close();
  });
}

/** An attorney of a network that takes cards, who owes $50.00 and $30.00 by default. */
export async function aPayer(processor: ProcessorName, owed?: number[]): Promise<Debtor> {
  debtor = await aDebtor(cards.app, processor, owed);
  return debtor;
}

interface Opening {
  expectsFaults?: boolean;
  mayComplain?: boolean;
}

/** A page of such an attorney. */
export async function aPage(processor: ProcessorName, more: Opening = {}): Promise<Page> {
  const { visitor } = await aPayer(processor);
  return (await watch(visitor, more)).page;
}

/** The same with the card form open for the whole amount. */
export async function aDialog(processor: ProcessorName, more: Opening = {}): Promise<Page> {
  const page = await aPage(processor, more);
  await page.goto("/dashboard");
  await askToPayAll(page);
  return page;
}

export async function adminPage(path: string): Promise<Page> {
  const { page } = await watch(await signedIn(cards.app, "admin", debtor.network));
  await page.goto(path);
  return page;
}

export async function watch(visitor: Visitor, more: Opening = {}): Promise<WatchedPage> {
  const watched = await aWatchedPage(cards.browser, { address: cards.address, visitor, ...more });
  open.push(watched);
  return watched;
}

export async function pay(page: Page, processor: ProcessorName, number?: string): Promise<void> {
  await fillCard(page, processor, cardOf(processor, number));
  await page.getByRole("button", { name: "Pay $80.00" }).click();
}

/** The error message of the dialog. */
export const errorLine = (page: Page) => page.getByRole("dialog").getByRole("alert");

/** How often browsers have reported a directive, by the log. */
export const violations = (directive: string, kind: "card form" | "other") =>
  cards.logged.filter((line) => line["directive"] === directive && line["page"] === kind).length;
