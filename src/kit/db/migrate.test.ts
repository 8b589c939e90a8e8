import { cpSync, readdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Client } from "pg";
import { afterEach, beforeEach, expect, onTestFinished, test, vi } from "vitest";
import { migrate } from "#kit/db/migrate.ts";
import { aTestDatabase, type TestDatabase } from "#tests/support/test-database.ts";

let database: TestDatabase;
let other: Client;
/** Sees the others as they are: a transaction goes on seeing them as they were at its beginning. */
let onlooker: Client;

beforeEach(async () => {
  database = await aTestDatabase();
  other = new Client({ connectionString: database.ownerConnectionString });
  onlooker = new Client({ connectionString: database.ownerConnectionString });
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

test("a locked table is waited for in turns, and nothing is applied twice", async () => {
  const all = await applied();
  await other.query("drop schema public, pgboss cascade; create schema public");
  await other.query(
    "create table migrations (name text primary key, applied_at timestamptz default now(), checksum text)",
  );
  await other.query("begin; lock table migrations in share mode");
  const migrating = migrate(database.ownerConnectionString);
  const first = await vi.waitUntil(attempt, { timeout: 60_000 });
  // It lets go after five seconds, so that others come through, and asks again.
  await vi.waitUntil(async () => ((await attempt()) ?? first) > first, { timeout: 60_000 });
  expect(await applied()).toEqual([]);
  await other.query("commit");
  expect(await migrating).toEqual(all);
  expect(await applied()).toEqual(all);
});

test("a migration that deadlocks with a request is retried", async () => {
  const { folder } = editableMigrations();
  // PostgreSQL picks a deadlock's victim by timing, so the error is raised once: a sequence survives the rollback.
  await other.query("create sequence attempts");
  writeFileSync(
    join(folder, "9999_later.sql"),
    `do $$ begin
       if nextval('attempts') = 1 then raise 'deadlock detected' using errcode = '40P01'; end if;
     end $$;
     create table later (id integer);`,
  );
  expect(await migrate(database.ownerConnectionString, { folder })).toEqual(["9999_later.sql"]);
  expect(await applied()).toContain("9999_later.sql");
});

test("processes that start together take turns", async () => {
  const all = await applied();
  await other.query("drop schema public, pgboss cascade; create schema public");
  const names = await Promise.all([1, 2, 3].map(() => migrate(database.ownerConnectionString)));
  expect(names.toSorted((a, b) => b.length - a.length)).toEqual([all, [], []]);
});

/** The product's migrations, where a test may edit one. */
function editableMigrations() {
  const folder = mkdtempSync(join(tmpdir(), "referral-network-migrations-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  cpSync(new URL("../../../migrations/", import.meta.url), folder, { recursive: true });
  const edit = (name: string, change: (text: string) => string) =>
    writeFileSync(join(folder, name), change(readFileSync(join(folder, name), "utf8")));
  return { folder, edit };
}

test("a database that was among cells is migrated once no network is moving between them", async () => {
  const { folder } = editableMigrations();
  for (const name of readdirSync(folder)) if (name >= "0070") rmSync(join(folder, name));
  await other.query("drop schema public, pgboss cascade; create schema public");
  await migrate(database.ownerConnectionString, { folder });
  await other.query(`
    insert into networks (id, name, time_zone) values (12, 'Moved', 'UTC');
    insert into network_moves (network_id, direction, state) values (12, 'out', 'moved');
    create trigger unserved_network_12_insert before insert on plans
      for each row when (new.network_id = 12) execute function refuse_unserved('12');
    create publication referral_network_cell for table cells, directory`);
  await expect(migrate(database.ownerConnectionString)).rejects.toThrow(
    /^Migration 0070_one_installation\.sql failed and was undone: this version moves no networks, and this database has some on their way or moved: 12 \(moved\)\. Finish each with the version before/,
  );
  await other.query("delete from network_moves; delete from directory");
  await migrate(database.ownerConnectionString);
  await other.query(
    "insert into plans (network_id, name, amount_cents, frequency_in_months) values (12, 'Dues', 100, 1)",
  );
});

const refusal = /^The migration 0005_plans\.sql was edited after it was applied to this database/;

test("a migration that was edited after it was applied is refused, and nothing is applied", async () => {
  const { folder, edit } = editableMigrations();
  edit("0005_plans.sql", (text) => text.replace("between 1 and 120", "between 1 and 240"));
  writeFileSync(join(folder, "9999_later.sql"), "create table later (id integer);");
  await expect(migrate(database.ownerConnectionString, { folder })).rejects.toThrow(refusal);
  expect(await applied()).not.toContain("9999_later.sql");
});

test("one with other line ends is the same", async () => {
  const { folder, edit } = editableMigrations();
  edit("0005_plans.sql", (text) => `${text.replaceAll("\n", " \r\n")}\r\n\r\n`);
  expect(await migrate(database.ownerConnectionString, { folder })).toEqual([]);
});

test.each([
  ["", ", checksum text"],
  ["'s first weeks", ""],
])(
  "a database of 0.1%s is refused in a sentence, and nothing is changed there",
  async (_, checksum) => {
    const names = ["0001_networks.sql", "0002_attorneys.sql"];
    await other.query(
      `drop schema public cascade; create schema public;
     create table migrations (name text primary key, applied_at timestamptz default now()${checksum});`,
    );
    await other.query("insert into migrations (name) select unnest($1::text[])", [names]);
    await expect(migrate(database.ownerConnectionString)).rejects.toThrow(
      /^The database belongs to version 0\.1 of .*\. Start version 0\.1 on it, or give this version an empty /,
    );
    expect(await applied()).toEqual(names);
    const { rows } = await other.query(
      "select from pg_class where relkind = 'r' and relnamespace = 'public'::regnamespace",
    );
    expect(rows).toHaveLength(1);
  },
);
