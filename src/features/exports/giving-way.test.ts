import { afterAll, beforeAll, expect, test } from "vitest";
import { sql } from "kysely";
import { watchOthers } from "#features/exports/throttle.ts";
import { anApp, type RunningApp } from "#tests/support/running-app.ts";

let app: RunningApp;

beforeAll(async () => {
  app = await anApp();
});
afterAll(async () => await app.close());

test("a report gives way while people work in the database, and no longer", async () => {
  const others = watchOthers(app.db);
  expect(others.areAtWork()).toBe(true); // nothing is known yet
  await expect.poll(others.areAtWork).toBe(false);
  const working = setInterval(() => void sql`select 1`.execute(app.db), 5);
  await expect.poll(others.areAtWork).toBe(true);
  clearInterval(working);
  await expect.poll(others.areAtWork).toBe(false);
  others.close();
});
