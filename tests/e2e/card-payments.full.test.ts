import { describe, expect, test } from "vitest";
import type { ProcessorName } from "#cards/shapes.ts";
import {
  cards,
  errorLine,
  openDialog,
  page,
  payButton,
  type,
  useCardDialog,
} from "#tests/support/card-dialog.ts";
import { cardOf } from "#tests/support/card-browser.ts";
import { allProcessors } from "#tests/support/card-network.ts";
import { cardField } from "#tests/support/card-page.ts";
import { barriersOf, overflowOnPhone } from "#tests/support/watched-page.ts";

/*
 * The card forms in detail: their messages for each field, and accessibility. `npm test` tests our own fields
 * in lawyer-dashboard.test.ts, and a good and a refused card of each processor in card-payments.test.ts.
 */

useCardDialog();

/** Processors whose fields are in visible frames. */
const hostedForms: ProcessorName[] = ["stripe", "lawpay"];

describe.each(allProcessors)("the form for %s", (processor) => {
  const good = cardOf(processor);
  const charged = () => cards.sandboxes[processor].charges();

  test("says which field is not valid, refuses an expired card, and charges once when pressed twice", async () => {
    await openDialog(processor);
    await cardField(page, processor, "number").waitFor();
    if (hostedForms.includes(processor)) await expectLightFrames();

    // LawPay's field hides the digits from us, and accepts brands that we do not know.
    await type({ ...good, number: "6200000000000005" });
    if (processor === "lawpay") await payButton().click();
    await errorLine().getByText("Card number is not valid").waitFor();
    await expect.poll(() => payButton().isDisabled()).toBe(true);

    await openAnew();
    await type({ ...good, expires: "13/30" });
    await errorLine().getByText("Expiration date is not valid").waitFor();
    await expect.poll(() => payButton().isDisabled()).toBe(true);

    await openAnew();
    await type({ ...good, expires: "01/20" });
    await errorLine().getByText("Expiration date is not valid").waitFor();
    await expect.poll(() => payButton().isDisabled()).toBe(true);
    expect(charged()).toEqual([]);

    await openAnew();
    await type(good);
    await payButton().dblclick();
    await page.getByText("You paid $80.00 by card.").waitFor();
    expect(charged()).toMatchObject([{ amountCents: 8000 }]);
  });
});

describe.each(["anet", "stripe", "lawpay"] as const)("the form for %s", (processor) => {
  test("has no accessibility barriers: it is filled in and sent by keyboard only, and Esc leaves it", async () => {
    const { number, code, expires } = cardOf(processor);
    await openDialog(processor);
    await type({ ...cardOf(processor), number: "411111111111" });
    await errorLine().getByText("Card number is not valid").waitFor();
    expect(await barriersOf(page)).toEqual([]);
    expect(await overflowOnPhone(page)).toBe(0);

    await openAnew();
    await cardField(page, processor, "number").waitFor();
    for (const text of [number, code, expires]) {
      await page.keyboard.press("Tab");
      await page.keyboard.type(text, { delay: 10 });
    }
    await expect.poll(() => payButton().isEnabled()).toBe(true);
    await page.keyboard.press("Shift+Tab");
    if (processor !== "lawpay") {
      await page.keyboard.press("Escape");
      await page.getByRole("dialog", { name: "Discard what you entered?" }).waitFor();
      await page.keyboard.press("Tab");
      await page.keyboard.press("Enter");
      await page.getByRole("dialog").waitFor({ state: "detached" });
      return;
    }
    // LawPay's frames handle Esc and do not pass it on.
    await page.keyboard.press("Tab");
    await page.keyboard.press("Tab");
    await page.keyboard.press("Enter");
    await page.getByText("You paid $80.00 by card.").waitFor();
  });
});

/** Leave the dialog, with or without a question, and open it with empty fields. */
async function openAnew(): Promise<void> {
  await page.getByRole("dialog").getByRole("button", { name: "Close" }).click();
  const discarding = page.getByRole("button", { name: "Discard", exact: true });
  const opening = page.getByRole("button", { name: "Pay", exact: true });
  await discarding.or(opening).first().waitFor();
  if ((await discarding.count()) > 0) await discarding.click();
  await opening.click();
}

/** The colour scheme of the frames' documents: in the dark they would be on white. */
async function expectLightFrames(): Promise<void> {
  const grounds = await page
    .locator("dialog iframe")
    .evaluateAll((frames) => frames.map((frame) => getComputedStyle(frame).colorScheme));
  expect(new Set(grounds)).toEqual(new Set(["light"]));
}
