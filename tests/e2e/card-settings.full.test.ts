import { expect, test } from "vitest";
import {
  choose,
  keysOf,
  page,
  save,
  typeKeys,
  useCardSettings,
  watch,
} from "#tests/support/screens/card-settings.ts";
import { barriersOf, overflowOnPhone } from "#tests/support/watched-page.ts";

/* Further cases of the card settings; src/cards/settings tests what is stored and removed. */

useCardSettings();

test("an optional saved secret can be removed, a required one cannot", async () => {
  await choose("stripe");
  await typeKeys("stripe", keysOf("stripe"));
  await save();
  await page.getByText("Stripe accepted the keys.").waitFor();
  await expect.poll(() => page.getByLabel(/^Remove the saved/).count()).toBe(1);
  await page.getByLabel("Remove the saved webhook signing secret").check();
  await save();
  await page.getByText("Begins with whsec_").waitFor();
  await expect.poll(() => page.getByLabel(/^Remove the saved/).count()).toBe(0);
  await expect.poll(() => page.getByText(/^Saved.*Leave blank to keep it\.$/).count()).toBe(1);
  expect(await barriersOf(page)).toEqual([]);
  expect(await overflowOnPhone(page)).toBe(0);
});

test("a colleague's earlier save is not overwritten, and what was typed stays", async () => {
  await choose("stripe");
  await typeKeys("stripe", keysOf("stripe"));
  await save();
  await page.getByText("Stripe accepted the keys.").waitFor();
  await page.getByLabel("American Express").check();
  const other = await watch("admin");
  await other.page.goto("/admin/settings");
  await other.page.getByLabel("Discover").check();
  await other.page.getByRole("button", { name: "Save card processor" }).click();
  await other.page.getByText("Stripe accepted the keys.").waitFor();
  await save();
  await page
    .getByRole("alert")
    .getByText("Someone else has saved the card settings since you opened them.")
    .waitFor();
  await expect.poll(() => page.getByLabel("American Express").isChecked()).toBe(true);
  await page.reload();
  await expect.poll(() => page.getByLabel("Discover").isChecked()).toBe(true);
  await expect.poll(() => page.getByLabel("American Express").isChecked()).toBe(false);
});

test("an answer requested before a save and received after it does not undo what is shown", async () => {
  await choose("anet");
  await typeKeys("anet", keysOf("anet"));
  await page.evaluate(() => {
    const send = window.fetch;
    window.fetch = async (input, init) => {
      const answer = await send(input, init);
      if (!answer.url.includes("card_settings") || init?.method === "PATCH") return answer;
      document.body.dataset["asked"] = "true";
      await new Promise((resume) => window.addEventListener("let go", resume, { once: true }));
      return answer;
    };
  });
  // As when coming back to the page, more than once: while an earlier request is open, it makes no other.
  const hasAsked = () =>
    page.evaluate(() => {
      const isAsked = document.body.dataset["asked"] === "true";
      if (!isAsked) window.dispatchEvent(new Event("visibilitychange"));
      return isAsked;
    });
  await expect.poll(hasAsked).toBe(true);
  await save();
  const inUse = page.getByText("Cards are charged through Authorize.Net; no money moves.");
  await inUse.waitFor();
  await page.evaluate(async () => {
    window.dispatchEvent(new Event("let go"));
    const frame = () => new Promise((resume) => requestAnimationFrame(resume));
    for (let frames = 0; frames < 20; frames += 1) await frame(); // its answer is read and drawn
  });
  expect(await inUse.count()).toBe(1);
});
