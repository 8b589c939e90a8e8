import type { PoolClient } from "pg";
import { expect } from "vitest";
import { createPlan } from "#dues/plans/contract.ts";
import { listPlans } from "#dues/plans/plans.list.ts";
import { makeNetwork } from "#tests/support/records/networks.ts";
import { inBriefOr } from "#tests/support/rounds.ts";
import { liftTimeLimits } from "#tests/support/running-app.ts";
import { signedIn, type Visitor } from "#tests/support/visitor.ts";
import { app, appTest } from "#tests/support/app-test.ts";

let admin: Visitor;

const test = appTest({ connections: 2 });
test.beforeAll(async () => {
  await liftTimeLimits(app);
  admin = await signedIn(app, "admin", await makeNetwork(app.db));
});

/** Send without waiting for an answer. */
function send(method: "GET" | "POST", url: string, payload?: object) {
  return app.server.inject({
    method,
    url,
    headers: {
      cookie: [...admin.cookies].map((pair) => pair.join("=")).join("; "),
      "x-csrf-token": admin.csrf,
    },
    payload,
  });
}

const aNewPlan = (name: string) => ({ name, payment_amount: 5, payment_frequency_in_months: 1 });

test("requests beyond the limit are refused before they begin, and accepted ones are completed", async () => {
  const held: PoolClient[] = [await app.pool.connect(), await app.pool.connect()];
  const asked = Array.from({ length: 1_000 }, () => send("GET", listPlans.path));
  await expect.poll(() => app.server.load().inFlight).toBe(1_000);

  const refused = await send("POST", createPlan.path, aNewPlan("One too many"));
  expect(refused.statusCode).toBe(503);
  expect(refused.headers["retry-after"]).toBe("2");
  expect(refused.json()).toEqual({
    success: false,
    object: null,
    message: "The service is busy. Nothing was changed; try again in a few seconds.",
  });
  expect((await send("GET", "/healthz")).statusCode).toBe(200);
  expect(app.server.load()).toMatchObject({ inFlight: 1_000, refused: 1 });

  for (const client of held) client.release();
  expect(new Set((await Promise.all(asked)).map((answer) => answer.statusCode))).toEqual(
    new Set([200]),
  );
  await expect.poll(() => app.server.load().inFlight).toBe(0);
  expect(await admin.call(listPlans)).toEqual([]);
  expect((await send("POST", createPlan.path, aNewPlan("Now it fits"))).statusCode).toBe(200);
});

test("while too many statements wait for the database, new requests are refused", async () => {
  const held: PoolClient[] = [await app.pool.connect(), await app.pool.connect()];
  const waiting = Array.from({ length: 100 }, () => app.pool.query("select 1"));
  expect(app.pool.waitingCount).toBe(100);
  expect((await send("POST", createPlan.path, aNewPlan("One too many"))).statusCode).toBe(503);
  for (const client of held) client.release();
  await Promise.all(waiting);
  expect((await send("GET", listPlans.path)).statusCode).toBe(200);
});

test("thousands of simultaneous requests are answered or refused, each with an envelope", async () => {
  const answers = await Promise.all(
    Array.from({ length: inBriefOr(3_000, 10_000) }, () => send("GET", listPlans.path)),
  );
  const counts = new Map<number, number>();
  for (const { statusCode } of answers) counts.set(statusCode, (counts.get(statusCode) ?? 0) + 1);
  expect([...counts.keys()].toSorted((one, other) => one - other)).toEqual([200, 503]);
  expect(counts.get(200)).toBeGreaterThanOrEqual(100);
  for (const answer of answers) expect(answer.json().success).toBe(answer.statusCode === 200);
});
