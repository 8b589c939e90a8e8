import { Client } from "pg";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { migrate } from "#server/migrate.ts";
import { aTestDatabase, type TestDatabase } from "#tests/support/test-database.ts";

let database: TestDatabase;
let other: Client;
/** Sees the others as they are: a transaction goes on seeing them as they were at its beginning. */
let onlooker: Client;

beforeEach(async () => {
  database = await aTestDatabase();
  other = new Client({ connectionString: database.connectionString });
  onlooker = new Client({ connectionString: database.connectionString });
  await Promise.all([other.connect(), onlooker.connect()]);
});
afterEach(async () => {
  await Promise.all([other.end(), onlooker.end()]);
  await database.drop();
});

const applied = async () => {
  const { rows } = await other.query<{ name: string }>("select name from migrations order by name");
  return rows.map(({ name }) => name);
};

/** Whether the migrating process waits for a lock, and in which of its attempts. */
const attempt = async () => {
  const { rows } = await onlooker.query<{ begun: Date }>(
    `select xact_start as begun from pg_stat_activity where datname = current_database()
       and application_name = 'referral-network migrations' and wait_event_type = 'Lock'`,
  );
  return rows[0]?.begun.getTime();
};

test("a table that somebody holds is waited for in turns, and nothing is applied twice", async () => {
  const all = await applied();
  await other.query("drop schema public cascade; create schema public");
  await other.query(
    "create table migrations (name text primary key, applied_at timestamptz default now())",
  );
  await other.query("begin; lock table migrations in share mode");
  const migrating = migrate(database.connectionString);
  const first = await vi.waitUntil(attempt, { timeout: 20_000 });
  // It lets go after five seconds, so that others come through, and asks again.
  await vi.waitUntil(async () => ((await attempt()) ?? first) > first, { timeout: 20_000 });
  expect(await applied()).toEqual([]);
  await other.query("commit");
  expect(await migrating).toEqual(all);
  expect(await applied()).toEqual(all);
}, 60_000);

test("processes that start together take turns", async () => {
  const all = await applied();
  await other.query("drop schema public cascade; create schema public");
  const names = await Promise.all([1, 2, 3].map(() => migrate(database.connectionString)));
  expect(names.toSorted((a, b) => b.length - a.length)).toEqual([all, [], []]);
});
