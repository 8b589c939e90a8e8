import { afterAll, beforeAll, expect, test } from "vitest";
import { startSandboxes, type Sandboxes } from "#sandboxes/start.ts";
import { chooseSeed, liveThrough } from "#tests/support/card-histories.ts";
import { anApp, type RunningApp } from "#tests/support/running-app.ts";

/* Two of the processors that our server asks to charge; the other three stand in the file beside this one. */

const seed = chooseSeed();
let app: RunningApp;
let sandboxes: Sandboxes;

beforeAll(async () => {
  sandboxes = await startSandboxes({ port: 0, seed });
  app = await anApp({ sandboxes: sandboxes.addresses, processorTimeoutMs: 250 });
});
afterAll(async () => {
  await app.close();
  await sandboxes.close();
});

test.each(["anet", "lawpay"] as const)(
  "whatever fails on the wire, %s's charges and our ledger agree to the cent",
  { timeout: 900_000 },
  async (processor) => {
    await liveThrough({ app, sandboxes, seed }, processor);
    expect(sandboxes[processor].totals().charges).toBeGreaterThan(0);
  },
);
