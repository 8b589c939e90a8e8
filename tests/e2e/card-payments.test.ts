import { describe, expect, test } from "vitest";
import type { FaultOrder } from "#sandboxes/faults.ts";
import type { ProcessorName } from "#cards/shapes.ts";
import { rowsOf } from "#tests/support/card-app.ts";
import {
  cards,
  debtor,
  errorLine,
  openDialog,
  page,
  payButton,
  type,
  useCardDialog,
  watched,
} from "#tests/support/card-dialog.ts";
import { cardOf } from "#tests/support/card-browser.ts";
import { allProcessors } from "#tests/support/card-network.ts";
import { cardField, typeCard } from "#tests/support/card-page.ts";
import { standingOf } from "#tests/support/ledger.ts";
import { inBriefOr } from "#tests/support/rounds.ts";

useCardDialog();

/** Each sandbox's answers to a bad card. */
const refused: Record<
  ProcessorName,
  {
    /** The message for a card that the bank declines. */
    declined: string;
    /** The message for trying again within a minute. */
    waits?: string;
    /** A fault of the processor: how it is caused, the message, and whether our server words it. */
    failing: { fault: FaultOrder; message: string; isAlerted?: true }[];
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
  },
  stripe: {
    declined: "Your card has insufficient funds.",
    failing: [
      {
        fault: { call: "tokenise", kind: "busy" },
        message: "This object cannot be accessed right now",
      },
    ],
  },
  lawpay: {
    declined: "declined",
    failing: [
      {
        fault: { call: "tokenise", kind: "malformed" },
        message: "the gateway could not be reached",
      },
    ],
  },
  elavon: {
    declined: "declined: DECLINED",
    failing: [
      {
        fault: { call: "session", kind: "busy" },
        message: "Card payment is not available right now.",
        isAlerted: true,
      },
      { fault: { call: "charge", kind: "unsure-before" }, message: "The request has timed out." },
    ],
    waits: "Elavon has not said yet whether your card was charged. Wait a minute",
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
  },
};

/**
 * One that charges a token, and one whose form goes from the browser to the processor; the others in
 * `test:full`.
 */
const tried = inBriefOr(["stripe", "paypal_payflow_pro"] as const, allProcessors);

describe.each(tried)("through %s", (processor) => {
  const good = cardOf(processor);

  test("failures show the processor's message; another card pays two debits, which then show as paid", async () => {
    const { failing, declined, waits } = refused[processor];
    await openDialog(processor, { expectsFaults: true });
    await expect.poll(() => payButton().isDisabled()).toBe(true);
    await page.getByText("Test mode: no money moves.").waitFor();
    for (const { fault, message } of failing) {
      cards.sandboxes[processor].fail(fault);
      await type(good);
      await payButton().click();
      await errorLine().getByText(message).waitFor();
      await expectEmptyFields(processor);
    }
    if (waits !== undefined) {
      await type(good);
      await payButton().click();
      await errorLine().getByText(waits).waitFor();
      await page.clock.setFixedTime(Date.now() + 61_000);
    }
    expect(cards.sandboxes[processor].totals()).toMatchObject({ capturedCents: 0 });
    const alerted = failing.filter(({ isAlerted }) => isAlerted);
    expect(watched?.alerts).toEqual(alerted.map(({ message }) => expect.stringContaining(message)));
    await type({ ...good, number: "4000000000009995" }, typeCard);
    await payButton().click();
    await errorLine().getByText(declined).waitFor();
    await expect.poll(() => payButton().isDisabled()).toBe(true);
    await expectEmptyFields(processor);
    const alertsOfDecline = watched?.alerts.length;
    expect(await standingOf(cards.app.db, debtor.debits[0] ?? 0)).toEqual({
      balance: 5000,
      pending: 0,
    });
    await type(good);
    await expect.poll(() => errorLine().innerText()).toBe("");
    await payButton().click();
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

async function expectEmptyFields(processor: ProcessorName): Promise<void> {
  for (const field of ["number", "code", "expires"] as const)
    await expect.poll(() => cardField(page, processor, field).inputValue()).toBe("");
}
