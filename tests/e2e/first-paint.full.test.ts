import type { AddressInfo } from "node:net";
import { afterAll, afterEach, beforeAll, expect, onTestFinished, test } from "vitest";
import { builtWebFolder } from "#main/app.ts";
import { answersIn } from "#tests/support/page-answers.ts";
import { aRelayTo } from "#tests/support/relay.ts";
import { anotherApp } from "#tests/support/running-app.ts";
import { paintOf, slowDown } from "#tests/support/slow-phone.ts";
import { aNetworkForEveryScreen } from "#tests/support/network-for-every-screen.ts";
import { openStage, type Stage } from "#tests/support/built-app-and-browser.ts";
import { type Visitor } from "#tests/support/visitor.ts";
import { aWatchedPage, type WatchedPage } from "#tests/support/watched-page.ts";

/*
 * The first page on a slow phone, and without the database. `npm test` tests which answers each page brings
 * in first-paint.test.ts, its size in tests/house/bundle.test.ts, and answers without a database in
 * pooler.test.ts.
 */

let stage: Stage;
let admin: Visitor;
let lawyer: Visitor;
let watched: WatchedPage | undefined;

beforeAll(async () => {
  stage = await openStage();
  ({ admin, lawyer } = await aNetworkForEveryScreen(stage.app));
});

afterAll(async () => await stage?.close());
afterEach(async () => {
  await watched?.close();
  watched = undefined;
});

const byAdmin = (): Visitor => admin;
const byLawyer = (): Visitor => lawyer;

test.each([
  { path: "/dashboard", who: byLawyer, words: "You owe $175.50" },
  { path: "/admin/subscriptions", who: byAdmin, words: "Website listing" },
  { path: "/admin", who: byAdmin, words: "check to confirm" },
])(
  "on a slow phone $path takes few requests, and the layout does not shift",
  async ({ path, who, words }) => {
    const { page, asked } = await openSlowly(who(), path);
    await page.getByText(words).first().waitFor();
    await page.waitForLoadState("networkidle");
    expect(asked.scripts).toBeLessThanOrEqual(8);
    expect(asked.requests).toBeLessThanOrEqual(20);
    expect((await paintOf(page)).shift).toBeLessThanOrEqual(0.01);
  },
);

test("a page opened while the database is down says so, and loads in full once it is back", async () => {
  const direct = new URL(stage.app.connectionString);
  const relay = await aRelayTo(Number(direct.port));
  direct.port = String(relay.port);
  const app = await anotherApp(
    { ...stage.app, connectionString: direct.href },
    { webFolder: builtWebFolder },
  );
  onTestFinished(async () => {
    relay.accept();
    await app.close();
    relay.close();
  });
  await app.server.listen({ port: 0, host: "127.0.0.1" });
  const { port } = app.server.server.address() as AddressInfo; // it listens on a port, not a pipe
  const { browser } = stage;
  const address = `http://localhost:${port}`;
  watched = await aWatchedPage(browser, {
    address,
    visitor: lawyer,
    expectsFaults: true,
  });
  const { page } = watched;
  relay.refuse();
  const answer = await page.goto("/dashboard");
  expect(answer?.status()).toBe(503);
  await page.getByText("Referral Network could not be loaded").waitFor();
  relay.accept();
  await expect
    .poll(async () => (await app.server.inject("/readyz")).statusCode, { timeout: 30_000 })
    .toBe(200);
  const reloaded = page.waitForResponse((response) => response.url() === `${address}/dashboard`);
  await page.getByRole("button", { name: "Try again" }).click();
  expect(answersIn(await (await reloaded).text())["/session"]?.object).toMatchObject({
    user: { name: "Ada Byron" },
  });
  await page.getByText("You owe $175.50").waitFor();
});

/** Open a page on a slow phone and wait for its first screen. Returns all its requests, sockets included. */
async function openSlowly(visitor: Visitor, path: string) {
  const { address, browser } = stage;
  watched = await aWatchedPage(browser, { address, visitor, isPhone: true });
  const { page } = watched;
  const asked = { scripts: 0, requests: 0 };
  page.on("request", (request) => {
    asked.requests += 1;
    if (request.resourceType() === "script") asked.scripts += 1;
  });
  page.on("websocket", () => (asked.requests += 1));
  await slowDown(page);
  await page.goto(path);
  await page.getByRole("heading", { level: 1 }).waitFor();
  return { page, asked };
}
