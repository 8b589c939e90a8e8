import type { Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { processors } from "#features/cards/processors/processors.ts";
import type { ProcessorName } from "#features/cards/shapes.ts";
import { aCardApp, type CardApp } from "#tests/support/card-app.ts";
import { cardOf } from "#tests/support/card-browser.ts";
import { allProcessors, anotherDebtor } from "#tests/support/card-network.ts";
import { fillCard } from "#tests/support/card-page.ts";
import { inBriefOr } from "#tests/support/rounds.ts";
import { makeNetwork, type MadeNetwork } from "#features/demo/records/networks.ts";
import { signedIn } from "#tests/support/visitor.ts";
import {
  aWatchedPage,
  barriersOf,
  overflowOnPhone,
  type WatchedPage,
} from "#tests/support/watched-page.ts";

let cards: CardApp;
let network: MadeNetwork;
let attorney: Awaited<ReturnType<typeof anotherDebtor>>;
let open: WatchedPage[] = [];
let settings: WatchedPage;
let page: Page;

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

test("until a processor is chosen, attorneys are told to pay by check", async () => {
  await page.getByText("No cards are taken yet").waitFor();
  const dashboard = (await watch("attorney")).page;
  await askToPayTen(dashboard);
  await dashboard.getByText("Your referral service does not take cards at present").waitFor();
  await expect.poll(() => dashboard.getByRole("button", { name: "Pay $10.00" }).count()).toBe(0);
});

/** What is written for them is generic. */
describe.each(inBriefOr(["anet"] as const, allProcessors))("%s", (name) => {
  const { label } = processors[name];

  test("is chosen with its keys and brands, asked whether they are right, and takes a card at once; its secret keys are never shown again", async () => {
    await choose(name);
    await typeKeys(name, keysOf(name));
    await page.getByLabel("Discover").check();
    await page.getByLabel("Mastercard").uncheck();
    await save();
    await page.getByText(`${label} accepted the keys.`).waitFor();
    await page.getByText(`Cards are taken through ${label}; no money moves.`).waitFor();

    await page.reload();
    const secrets = processors[name].fields.filter((field) => field.isSecret);
    for (const field of secrets) {
      const value = keysOf(name)[field.name] ?? "";
      const end = value.length >= 16 ? `, ends in ${value.slice(-4)}` : "";
      await page.getByText(`Saved${end}. Leave it empty to keep it.`).first().waitFor();
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

test("keys that the processor does not know are refused in its words, and what was typed stays; one that is missing is said at its field", async () => {
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

const keysOf = (name: ProcessorName): Record<string, string> => cards.sandboxes.accounts[name];

async function choose(name: ProcessorName): Promise<void> {
  await page.getByLabel("Card processor", { exact: true }).selectOption(name);
  await page.getByLabel(/^Sandbox/).check();
}

async function typeKeys(name: ProcessorName, keys: Record<string, string>): Promise<void> {
  for (const field of processors[name].fields) {
    const label = field.isRequired ? field.label : `${field.label} (optional)`;
    await page.getByLabel(label, { exact: true }).fill(keys[field.name] ?? "");
  }
}

const save = () => page.getByRole("button", { name: "Save card processor" }).click();

async function watch(who: "admin" | "attorney"): Promise<WatchedPage> {
  const visitor = who === "admin" ? await signedIn(cards.app, "admin", network) : attorney.visitor;
  const watched = await aWatchedPage(cards.browser, { address: cards.address, visitor });
  open.push(watched);
  return watched;
}

async function askToPayTen(dashboard: Page): Promise<void> {
  await dashboard.goto("/dashboard");
  await dashboard.getByLabel("Payment for Panel dues").fill("10");
  await dashboard.getByRole("button", { name: "Pay", exact: true }).click();
}
