import type { Page } from "playwright-core";
import { describe, expect, test } from "vitest";
import { processors } from "#cards/processors/processors.ts";
import { cardOf } from "#tests/support/card-browser.ts";
import { allProcessors } from "#tests/support/card-network.ts";
import { fillCard } from "#tests/support/card-page.ts";
import { inBriefOr } from "#tests/support/rounds.ts";
import {
  cards,
  choose,
  keysOf,
  page,
  save,
  settings,
  typeKeys,
  useCardSettings,
  watch,
} from "#tests/support/screens/card-settings.ts";
import { barriersOf, overflowOnPhone } from "#tests/support/watched-page.ts";

useCardSettings();

test("until a processor is chosen, attorneys are asked to pay by check", async () => {
  await page.getByText("No cards are accepted yet").waitFor();
  const dashboard = (await watch("attorney")).page;
  await askToPayTen(dashboard);
  await dashboard.getByText("Your referral service does not take cards right now").waitFor();
  await expect.poll(() => dashboard.getByRole("button", { name: "Pay $10.00" }).count()).toBe(0);
});

/** Processors with a generic test. */
describe.each(inBriefOr(["anet"] as const, allProcessors))("%s", (name) => {
  const { label } = processors[name];

  test("is chosen with its keys and brands, checked for valid keys, and takes a card immediately; its secret keys are never shown again", async () => {
    await choose(name);
    await typeKeys(name, keysOf(name));
    await page.getByLabel("Discover").check();
    await page.getByLabel("Mastercard").uncheck();
    await save();
    await page.getByText(`${label} accepted the keys.`).waitFor();
    await page.getByText(`Cards are charged through ${label}; no money moves.`).waitFor();

    await page.reload();
    const secrets = processors[name].fields.filter((field) => field.isSecret);
    for (const field of secrets) {
      const value = keysOf(name)[field.name] ?? "";
      const end = value.length >= 16 ? `, ends in ${value.slice(-4)}` : "";
      await page.getByText(`Saved${end}. Leave blank to keep it.`).first().waitFor();
      expect(await page.content()).not.toContain(value);
    }
    await save();
    await page.getByText(`${label} accepted the keys.`).waitFor();

    const dashboard = (await watch("attorney")).page;
    await askToPayTen(dashboard);
    const marks = dashboard.getByRole("list", { name: "Cards accepted" }).getByRole("img");
    await marks.first().waitFor();
    await expect
      .poll(() => marks.evaluateAll((each) => each.map((mark) => mark.getAttribute("aria-label"))))
      .toEqual(["Visa", "Discover"]);
    await fillCard(dashboard, name, cardOf(name));
    await dashboard.getByRole("button", { name: "Pay $10.00" }).click();
    await dashboard.getByText("You paid $10.00 by card.").waitFor();
    expect(cards.sandboxes[name].totals()).toMatchObject({ charges: 1, capturedCents: 1000 });
  });
});

test("keys that the processor rejects are refused in its words and stay typed; a missing key is named at its field", async () => {
  await choose("anet");
  await page.getByLabel("API login ID").fill("");
  await save();
  await page.getByRole("link", { name: "Enter an API login ID." }).click();
  await expect
    .poll(() => page.evaluate(() => document.activeElement?.getAttribute("name")))
    .toBe("key_apiLoginId");

  await choose("stripe");
  await page.getByLabel("Secret key").fill("sk_test_of_somebody_else_altogether");
  await save();
  const summary = page.getByRole("form", { name: "Account with Stripe" }).getByRole("alert");
  await summary.waitFor();
  await expect.poll(() => settings.alerts).toHaveLength(2); // that one first
  await expect.poll(() => summary.innerText()).toContain(settings.alerts[1] ?? "?");
  await expect.poll(() => page.getByLabel("Secret key").inputValue()).toContain("somebody_else");
  expect(await barriersOf(page)).toEqual([]);
  expect(await overflowOnPhone(page)).toBe(0);
});

async function askToPayTen(dashboard: Page): Promise<void> {
  await dashboard.goto("/dashboard");
  await dashboard.getByLabel("Payment for Panel dues").fill("10");
  await dashboard.getByRole("button", { name: "Pay", exact: true }).click();
}
