import type { Page } from "playwright-core";
import { expect, vi } from "vitest";
import { withoutAnswers } from "#tests/support/page-answers.ts";
import { makeAttorney } from "#tests/support/records/attorneys.ts";
import { type MadeNetwork } from "#main/demo/records/networks.ts";
import { makeNetwork } from "#tests/support/records/networks.ts";
import { app } from "#tests/support/app-test.ts";
import { openPage, page as opened, pageTest, watched } from "#tests/support/page-test.ts";
import { signedIn, type Visitor } from "#tests/support/visitor.ts";

/* Any failed request shows its message in a browser alert (specification §8), once per failure. */

let network: MadeNetwork;

const test = pageTest();
test.beforeAll(async () => void (network = await makeNetwork(app.db)));

const words = "The service is busy. Nothing was changed; try again in a few seconds.";

async function open(visitor: Visitor): Promise<Page> {
  await openPage({ visitor, expectsFaults: true, changes: withoutAnswers });
  return opened;
}

/** Fail requests of a method and path, all with the same message. Returns the list of failed ones. */
async function failRequests(page: Page, method: string, path: RegExp): Promise<string[]> {
  const failed: string[] = [];
  await page.route(
    (url) => path.test(url.pathname),
    async (route) => {
      const request = route.request();
      const isMeant = request.method() === method && request.resourceType() === "fetch";
      if (!isMeant) return await route.continue();
      failed.push(new URL(request.url()).pathname);
      await route.fulfill({
        status: 503,
        json: { success: false, object: null, message: words },
      });
    },
  );
  return failed;
}

test("a request that fails again with the same message alerts again", async () => {
  const page = await open(await signedIn(app, "admin", network));
  await page.goto("/admin/subscriptions");
  await page.getByLabel("Name").fill("Panel dues");
  await page.getByLabel("Amount owed in dollars").fill("5");
  await page.getByLabel("every N month(s)").fill("1");
  const failed = await failRequests(page, "POST", /^\/lrs_subscriptions\/$/);
  for (let time = 1; time <= 3; time += 1) {
    await page.getByRole("button", { name: "Create new subscription" }).click();
    await vi.waitUntil(() => failed.length === time, 60_000);
    await vi.waitUntil(() => watched.alerts.length >= time, 60_000);
  }
  await expect.poll(() => watched.alerts).toEqual([words, words, words]);
  expect(failed).toHaveLength(3);
});

test("a record shown by several parts of a screen fails once, and once more when retried", async () => {
  const attorney = await makeAttorney(app.db, network);
  const page = await open(await signedIn(app, attorney, network));
  const failed = await failRequests(page, "GET", new RegExp(`^/attorneys/${attorney.id}$`));
  await page.goto("/dashboard");
  const again = page.getByRole("button", { name: "Try again" });
  await again.waitFor();
  await expect.poll(() => [failed.length, watched.alerts]).toEqual([1, [words]]);
  await again.click();
  await vi.waitUntil(() => failed.length === 2, 60_000);
  await vi.waitUntil(() => watched.alerts.length >= 2, 60_000);
  await again.waitFor();
  await expect.poll(() => [failed.length, watched.alerts]).toEqual([2, [words, words]]);
});

test("parts of a screen that fail together alert once, and each that fails again alerts again", async () => {
  const page = await open(await signedIn(app, "admin", network));
  const failed = await failRequests(page, "GET", /^\/(lrs_subscriptions|billing_runs)\/?$/);
  await page.goto("/admin/subscriptions");
  const again = page.getByRole("button", { name: "Try again" });
  await vi.waitUntil(async () => (await again.count()) === 2, 60_000);
  await expect.poll(() => [failed.length, watched.alerts]).toEqual([2, [words]]);
  for (const [index, one] of [again.first(), again.last()].entries()) {
    await one.click();
    await vi.waitUntil(() => watched.alerts.length >= index + 2, 60_000);
  }
  await expect.poll(() => [failed.length, watched.alerts]).toEqual([4, [words, words, words]]);
});
