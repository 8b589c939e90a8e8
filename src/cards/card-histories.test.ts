import { expect } from "vitest";
import { chooseSeed, liveThrough } from "#tests/support/card-histories.ts";
import { app } from "#tests/support/app-test.ts";
import { cardTest, sandboxes } from "#tests/support/card-test.ts";

/* Two of the processors that our server charges directly. The file beside this one covers the others. */

const seed = chooseSeed();

const test = cardTest({ seed, processorTimeoutMs: 250 });

test.each(["anet", "lawpay"] as const)(
  "%s's charges and our ledger agree to the cent, whatever fails on the wire",
  { timeout: 900_000 },
  async (processor) => {
    await liveThrough({ app, sandboxes, seed }, processor);
    expect(sandboxes[processor].totals().charges).toBeGreaterThan(0);
  },
);
