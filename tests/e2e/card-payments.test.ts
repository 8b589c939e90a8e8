import type { Page, Request } from "playwright-core";
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from "vitest";
import type { FaultOrder } from "#sandboxes/faults.ts";
import type { ProcessorName } from "#features/cards/shapes.ts";
import { aCardApp, askToPayAll, type CardApp, rowsOf } from "#tests/support/card-app.ts";
import { cardOf, type TestCard } from "#tests/support/card-browser.ts";
import { aDebtor, allProcessors, type Debtor } from "#tests/support/card-network.ts";
import { cardField, carriedBy, fillCard, requestsTo, typeCard } from "#tests/support/card-page.ts";
import { standingOf } from "#tests/support/ledger.ts";
import {
  aWatchedPage,
  barriersOf,
  overflowOnPhone,
  type WatchedPage,
} from "#tests/support/watched-page.ts";
import { inBriefOr } from "#tests/support/rounds.ts";

let cards: CardApp;
let debtor: Debtor;
let watched: WatchedPage | undefined;
let page: Page;
let requests: Request[];
let typedNumbers: string[];

beforeAll(async () => void (cards = await aCardApp()));

afterAll(() => cards?.close());

afterEach(async () => {
  const carried = await Promise.all(requests.map(carriedBy));
  const gone = typedNumbers.filter((number) => carried.some((text) => text.includes(number)));
  await watched?.close();
  watched = undefined;
  cards.sandboxes.reset();
  if (requests.length === 0) throw new Error("No request was looked through.");
  if (gone.length > 0) throw new Error(`Our server was sent a card number: ${gone.join(", ")}`);
});

/** What each sandbox answers to a card that is not good. */
const refused: Record<
  ProcessorName,
  {
    /** Of a card that the bank declines. */
    declined: string;
    /** What is said when the processor cannot do its work: the fault, the words, and whether our server says them. */
    failing: { fault: FaultOrder; message: string; isAlerted?: true }[];
    /** Of a card that expired in January 2020. */
    expired: string;
  }
> = {
  anet: {
    declined: "This transaction has been declined.",
    failing: [
      {
        fault: { call: "tokenise", kind: "unsure-before" },
        message: "An error occurred during processing. Please try again.",
      },
    ],
    expired: "Expiration date must be in the future.",
  },
  stripe: {
    declined: "Your card has insufficient funds.",
    failing: [
      {
        fault: { call: "tokenise", kind: "busy" },
        message: "This object cannot be accessed right now",
      },
    ],
    expired: "Expiration date is not valid",
  },
  lawpay: {
    declined: "declined",
    failing: [
      {
        fault: { call: "tokenise", kind: "malformed" },
        message: "the gateway could not be reached",
      },
    ],
    expired: "expired",
  },
  elavon: {
    declined: "declined: DECLINED",
    failing: [
      { fault: { call: "charge", kind: "unsure-before" }, message: "The request has timed out." },
      {
        fault: { call: "session", kind: "busy" },
        message: "Card payment is not available right now.",
        isAlerted: true,
      },
    ],
    expired: "declined: ",
  },
  paypal_payflow_pro: {
    declined: "declined",
    failing: [
      {
        fault: { call: "session", kind: "busy" },
        message: "Card payment is not available right now. Nothing was charged",
        isAlerted: true,
      },
    ],
    expired: "The expiration date is not valid.",
  },
};

describe.each(allProcessors)("through %s", (processor) => {
  const good = cardOf(processor);

  test("what goes wrong is told in the processor's words; another card pays two debits, which are shown as paid", async () => {
    const { failing, declined } = refused[processor];
    await openDialog(processor, { expectsFaults: true });
    await expect.poll(() => button().isDisabled()).toBe(true);
    await page.getByText("Test mode: no money moves.").waitFor();
    for (const { fault, message } of failing) {
      cards.sandboxes[processor].fail(fault);
      await type(good);
      await button().click();
      await line().getByText(message).waitFor();
      await expectEmptyFields(processor);
    }
    expect(cards.sandboxes[processor].totals()).toMatchObject({ capturedCents: 0 });
    const alerted = failing.filter(({ isAlerted }) => isAlerted);
    expect(watched?.alerts).toEqual(alerted.map(({ message }) => expect.stringContaining(message)));
    await type({ ...good, number: "4000000000009995" }, typeCard);
    await button().click();
    await line().getByText(declined).waitFor();
    await expect.poll(() => button().isDisabled()).toBe(true);
    await expectEmptyFields(processor);
    const alertsOfDecline = watched?.alerts.length;
    expect(await standingOf(cards.app.db, debtor.debits[0] ?? 0)).toEqual({
      balance: 5000,
      pending: 0,
    });
    await type(good);
    await expect.poll(() => line().innerText()).toBe("");
    await button().click();
    await page.getByText("You paid $80.00 by card. The receipt is under Paid.").waitFor();
    await page.getByText("You owe nothing").waitFor();
    await page.getByRole("link", { name: "The receipt" }).click();
    await page.getByRole("heading", { name: /^Receipt \d+$/ }).waitFor();
    await page.getByRole("link", { name: "All payments" }).click();
    await expect
      .poll(() => rowsOf(page, "Paid"))
      .toEqual([
        expect.stringMatching(/^Panel dues Card Receipt .* \$30\.00 .* Paid$/),
        expect.stringMatching(/^Panel dues Card Receipt .* \$50\.00 .* Paid$/),
      ]);
    expect(cards.sandboxes[processor].totals()).toMatchObject({ capturedCents: 8000 });
    for (const debit of debtor.debits)
      expect(await standingOf(cards.app.db, debit)).toEqual({ balance: 0, pending: 0 });
    expect(watched?.alerts).toHaveLength(alertsOfDecline ?? 0);
  });
});

/** One form of ours, one of hosted fields that say what is typed. */
const differentForms: ProcessorName[] = ["anet", "stripe"];

/** Their fields stand in frames that can be seen. */
const hostedForms: ProcessorName[] = ["stripe", "lawpay"];

describe.each(inBriefOr(differentForms, allProcessors))("the form for %s", (processor) => {
  const good = cardOf(processor);
  const charged = () => cards.sandboxes[processor].charges();

  test("says which field is not valid, refuses a card that has expired, and charges once when it is pressed twice", async () => {
    await openDialog(processor);
    await cardField(page, processor, "number").waitFor();
    if (hostedForms.includes(processor)) await expectLightFrames();

    // LawPay's field shows us no digits, and takes cards of brands that we do not know.
    await type({ ...good, number: "6200000000000005" });
    if (processor === "lawpay") await button().click();
    await line().getByText("Card number is not valid").waitFor();
    await expect.poll(() => button().isDisabled()).toBe(true);

    await openAnew();
    await type({ ...good, expires: "13/30" });
    await line().getByText("Expiration date is not valid").waitFor();
    await expect.poll(() => button().isDisabled()).toBe(true);

    await openAnew();
    await type({ ...good, expires: "01/20" });
    const { expired } = refused[processor];
    // A form that knows the day says so at once; what a hosted field thinks comes a moment later.
    await vi.waitUntil(
      async () => (await button().isEnabled()) || (await line().innerText()).includes(expired),
      { timeout: 60_000 },
    );
    if (await button().isEnabled()) await button().click();
    await line().getByText(expired).waitFor();
    expect(cards.sandboxes[processor].totals()).toMatchObject({ capturedCents: 0 });

    await openAnew();
    const refusals = charged().length; // some forms leave it to the processor to refuse
    await type(good);
    await button().dblclick();
    await page.getByText("You paid $80.00 by card.").waitFor();
    expect(charged().slice(refusals)).toMatchObject([{ amountCents: 8000 }]);
  });
});

describe.each(inBriefOr(["anet", "lawpay"] as const, ["anet", "stripe", "lawpay"] as const))(
  "the form for %s",
  (processor) => {
    test("keeps nobody out: it is filled in and sent with the keyboard alone, and Esc leaves it", async () => {
      const { number, code, expires } = cardOf(processor);
      await openDialog(processor);
      await type({ ...cardOf(processor), number: "411111111111" });
      await line().getByText("Card number is not valid").waitFor();
      expect(await barriersOf(page)).toEqual([]);
      expect(await overflowOnPhone(page)).toBe(0);

      await openAnew();
      await cardField(page, processor, "number").waitFor();
      for (const text of [number, code, expires]) {
        await page.keyboard.press("Tab");
        await page.keyboard.type(text, { delay: 10 });
      }
      await expect.poll(() => button().isEnabled()).toBe(true);
      await page.keyboard.press("Shift+Tab");
      if (processor !== "lawpay") {
        await page.keyboard.press("Escape");
        await page.getByRole("dialog", { name: "Discard what you entered?" }).waitFor();
        await page.keyboard.press("Tab");
        await page.keyboard.press("Enter");
        await page.getByRole("dialog").waitFor({ state: "detached" });
        return;
      }
      // LawPay's frames keep Esc to themselves and tell nobody.
      await page.keyboard.press("Tab");
      await page.keyboard.press("Tab");
      await page.keyboard.press("Enter");
      await page.getByText("You paid $80.00 by card.").waitFor();
    });
  },
);

async function openDialog(
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

/** Digit by digit only where it is said: that takes three times as long. */
let type: (card: TestCard, enter?: typeof fillCard) => Promise<void>;

/** Leave the dialog, with or without a question, and open it with empty fields. */
async function openAnew(): Promise<void> {
  await page.getByRole("dialog").getByRole("button", { name: "Close" }).click();
  const discarding = page.getByRole("button", { name: "Discard", exact: true });
  const opening = page.getByRole("button", { name: "Pay", exact: true });
  await discarding.or(opening).first().waitFor();
  if ((await discarding.count()) > 0) await discarding.click();
  await opening.click();
}

/** As the documents in them are: in the dark they would stand on white. */
async function expectLightFrames(): Promise<void> {
  const grounds = await page
    .locator("dialog iframe")
    .evaluateAll((frames) => frames.map((frame) => getComputedStyle(frame).colorScheme));
  expect(new Set(grounds)).toEqual(new Set(["light"]));
}

const button = () => page.getByRole("button", { name: "Pay $80.00" });
const line = () => page.getByRole("dialog").getByRole("alert");

async function expectEmptyFields(processor: ProcessorName): Promise<void> {
  for (const field of ["number", "code", "expires"] as const)
    await expect.poll(() => cardField(page, processor, field).inputValue()).toBe("");
}
