import { afterAll, beforeAll, expect, test } from "vitest";
import { startSandboxes, type Sandboxes } from "#sandboxes/start.ts";
import { chooseSeed, liveThrough } from "#tests/support/card-histories.ts";
import { anApp, type RunningApp } from "#tests/support/running-app.ts";

/* The processors with more than one way to a charge: challenges, and sessions in the browser. */

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

test.each(["stripe", "elavon", "paypal_payflow_pro"] as const)(
  "whatever fails on the wire, %s's charges and our ledger agree to the cent",
  { timeout: 900_000 },
  async (processor) => {
    await liveThrough({ app, sandboxes, seed }, processor);
    expect(sandboxes[processor].totals().charges).toBeGreaterThan(0);
  },
);
