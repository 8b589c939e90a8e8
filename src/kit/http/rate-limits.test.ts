import { expect } from "vitest";
import { listPlans } from "#dues/plans/plans.list.ts";
import { showSession } from "#kit/contract/session.ts";
import { type MadeNetwork } from "#main/demo/records/networks.ts";
import { makeNetwork } from "#tests/support/records/networks.ts";
import { liftTimeLimits } from "#tests/support/running-app.ts";
import { aVisitor, signedIn, type Visitor } from "#tests/support/visitor.ts";
import { app, appTest } from "#tests/support/app-test.ts";

let network: MadeNetwork;

const test = appTest({ rateLimits: true });
test.beforeAll(async () => {
  await liftTimeLimits(app);
  network = await makeNetwork(app.db);
});

/** Send many requests at the same time. Answers how often each status came. */
async function ask(visitor: Visitor, times: number): Promise<Record<number, number>> {
  const replies = await Promise.all(Array.from({ length: times }, () => visitor.ask(showSession)));
  const counts: Record<number, number> = {};
  for (const { status } of replies) counts[status] = (counts[status] ?? 0) + 1;
  return counts;
}

test("a session has 600 requests a minute, and another session its own", async () => {
  const admin = await signedIn(app, "admin", network);
  expect(await ask(admin, 600)).toEqual({ 200: 600 });
  const refused = await admin.ask(listPlans);
  expect(refused).toMatchObject({ status: 429, object: null });
  expect(refused.message).toMatch(/The limit is 600 a minute/);
  expect(Number(refused.headers["retry-after"])).toBeGreaterThan(0);
  expect(Number(refused.headers["retry-after"])).toBeLessThanOrEqual(60);
  expect(await ask(await signedIn(app, "admin", network), 2)).toEqual({ 200: 2 });
});

test("callers without a session do not have this limit", async () => {
  const statuses = new Set<number>();
  // Not all at the same time: that is another limit (overload.ts).
  for (let batch = 0; batch < 7; batch += 1) {
    const asked = Array.from({ length: 100 }, () => aVisitor(app).ask(showSession));
    for (const { status } of await Promise.all(asked)) statuses.add(status);
  }
  expect(statuses).toEqual(new Set([200]));
});
