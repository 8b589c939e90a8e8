import type { Page, Request } from "playwright-core";
import { afterAll, afterEach, beforeAll } from "vitest";
import type { ProcessorName } from "#cards/shapes.ts";
import { aCardApp, askToPayAll, type CardApp } from "#tests/support/card-app.ts";
import type { TestCard } from "#tests/support/card-browser.ts";
import { aDebtor, type Debtor } from "#tests/support/card-network.ts";
import { carriedBy, fillCard, requestsTo } from "#tests/support/card-page.ts";
import { aWatchedPage, type WatchedPage } from "#tests/support/watched-page.ts";

/*
   The card form, open for an attorney who owes $50.00 and $30.00. Our own server must never get a card
   number.
*/

export let cards: CardApp;
export let debtor: Debtor;
export let watched: WatchedPage | undefined;
export let page: Page;
let requests: Request[];
let typedNumbers: string[];

/** Start the app with the file; each test fails if a card number that it typed was sent to our server. */
export function useCardDialog(): void {
  beforeAll(async () => void (cards = await aCardApp()));
  afterAll(() => cards?.close());
  afterEach(async () => {
    const carried = await Promise.all(requests.map(carriedBy));
    const gone = typedNumbers.filter((number) => carried.some((text) => text.includes(number)));
    await watched?.close();
    watched = undefined;
    cards.sandboxes.reset();
    if (requests.length === 0) throw new Error("No request was checked.");
    if (gone.length > 0) throw new Error(`Our server was sent a card number: ${gone.join(", ")}`);
  });
}

export async function openDialog(
  processor: ProcessorName,
  more: { expectsFaults?: boolean } = {},
): Promise<void> {
  debtor = await aDebtor(cards.app, processor);
  const { address, browser } = cards;
  watched = await aWatchedPage(browser, { address, visitor: debtor.visitor, ...more });
  page = watched.page;
  requests = requestsTo(page, address);
  typedNumbers = [];
  type = async (card, enter = fillCard) => {
    typedNumbers.push(card.number);
    await enter(page, processor, card);
  };
  await page.goto("/dashboard");
  await askToPayAll(page);
}

/** Digit by digit only on request: that takes three times as long. */
export let type: (card: TestCard, enter?: typeof fillCard) => Promise<void>;

export const payButton = () => page.getByRole("button", { name: "Pay $80.00" });
/** The dialog's error message. */
export const errorLine = () => page.getByRole("dialog").getByRole("alert");
