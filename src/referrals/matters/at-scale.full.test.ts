import { describe, expect } from "vitest";
import { listAttorneys } from "#panel/contract.ts";
import { listMatters } from "#referrals/matters/matters.list.ts";
import { previewSuspensions } from "#referrals/suspension/contract.ts";
import { quickest } from "#tests/support/cable.ts";
import { aLargeNetwork } from "#tests/support/many-matters.ts";
import type { MadeNetwork } from "#main/demo/records/networks.ts";
import { signedIn, type Visitor } from "#tests/support/visitor.ts";
import { app, appTest } from "#tests/support/app-test.ts";

/* Response times at a tenth of the benchmark's size. Timings are only checked in `npm run test:full`. */

let network: MadeNetwork;
let admin: Visitor;
const today = "2026-07-01";

const test = appTest({ asOwner: true, clock: `${today}T12:00:00Z` });
test.beforeAll(async () => {
  await aLargeNetwork(app.db, { attorneys: 300, openMatters: 6_000, today });
  network = await aLargeNetwork(app.db, { attorneys: 500, openMatters: 10_000, today });
  admin = await signedIn(app, "admin", network);
});

async function took(act: () => Promise<unknown>): Promise<number> {
  const begun = performance.now();
  await act();
  return performance.now() - begun;
}

/** The quickest of several tries: slower ones show how busy the machine is. */
async function quickestOf(act: () => Promise<unknown>): Promise<number> {
  return await quickest(() => took(act), 500);
}

test("the preview of suspensions is quick", async () => {
  expect(await quickestOf(() => admin.call(previewSuspensions))).toBeLessThan(500);
});

describe("the list of referrals", () => {
  test.each([
    {},
    { status: "open" },
    { status: "new" },
    { report: "overdue" },
    { report: "overdue", search: "client" },
    { search: "surname1234" },
    { search: "su" },
    { search: "nobody-at-all" },
    { search: "555" },
    { page: 40, per_page: 200 },
  ])("with %j is quick", async (query) => {
    const call = () => admin.call(listMatters, { query: { ...query } });
    expect(await quickestOf(call)).toBeLessThan(500);
  });

  test("and the list of attorneys are quick", async () => {
    const call = () => admin.call(listAttorneys, { query: { status: "suspended" } });
    expect(await quickestOf(call)).toBeLessThan(500);
  });
});
