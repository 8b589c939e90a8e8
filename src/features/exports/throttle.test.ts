import { afterAll, beforeAll, expect, test } from "vitest";
import { sql } from "kysely";
import { watchDatabaseLoad } from "#features/exports/throttle.ts";
import { anApp, type RunningApp } from "#tests/support/running-app.ts";

let app: RunningApp;

beforeAll(async () => {
  app = await anApp();
});
afterAll(async () => await app.close());

test("a report gives way while people work in the database, and no longer", async () => {
  const others = watchDatabaseLoad(app.db);
  expect(others.isDatabaseBusy()).toBe(true); // nothing is known yet
  await expect.poll(others.isDatabaseBusy).toBe(false);
  const working = setInterval(() => void sql`select 1`.execute(app.db), 5);
  await expect.poll(others.isDatabaseBusy).toBe(true);
  clearInterval(working);
  await expect.poll(others.isDatabaseBusy).toBe(false);
  others.close();
});
