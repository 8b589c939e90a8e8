import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Client } from "pg";
import { afterEach, beforeEach, expect, onTestFinished, test } from "vitest";
import { migrate, refuseOtherMigrations } from "#kit/db/migrate.ts";
import { readRules } from "#kit/db/rules.ts";
import { aTestDatabase, type TestDatabase } from "#tests/support/test-database.ts";

/* The database's functions and triggers are those of rules/, whatever migrations and people left there. */

let database: TestDatabase;
let owner: Client;
/** Copies of rules/ and migrations/, to be edited. */
let rulesFolder: string;
let folder: string;

beforeEach(async () => {
  database = await aTestDatabase();
  owner = new Client({ connectionString: database.ownerConnectionString });
  await owner.connect();
  const copies = mkdtempSync(join(tmpdir(), "referral-network-rules-"));
  onTestFinished(() => rmSync(copies, { recursive: true }));
  [rulesFolder, folder] = ["rules", "migrations"].map((name) => {
    cpSync(name, join(copies, name), { recursive: true });
    return join(copies, name);
  }) as [string, string];
});
afterEach(async () => {
  await owner.end();
  await database.drop();
});

const started = async () => await migrate(database.ownerConnectionString, { folder, rulesFolder });

function edit(file: string, from: string, to: string): void {
  const path = join(rulesFolder, file);
  const text = readFileSync(path, "utf8");
  expect(text).toContain(from);
  writeFileSync(path, text.replace(from, to));
}

async function answer(statement: string): Promise<unknown> {
  const { rows } = await owner.query<{ answer: unknown }>(`select ${statement} as answer`);
  return rows[0]?.answer;
}

test("rules/ has every function and trigger of the product", async () => {
  const { rows } = await owner.query<{ name: string }>(`
    select 'function ' || p.proname as name from pg_proc p
    where p.pronamespace = 'public'::regnamespace
      and not exists (select from pg_depend d where d.objid = p.oid and d.deptype = 'e')
    union all
    select format('trigger %s on %s', t.tgname, c.relname) from pg_trigger t join pg_class c on c.oid = t.tgrelid
    where not t.tgisinternal and c.relnamespace = 'public'::regnamespace`);
  const { all } = await readRules(rulesFolder);
  expect(all.map(({ name }) => name).toSorted()).toEqual(rows.map(({ name }) => name).toSorted());
});

test("an edited rule replaces the old one, a new one is added, one without a file is removed", async () => {
  expect(await started()).toEqual([]);
  edit("billing.sql", "when 1 then 'month'", "when 1 then 'single month'");
  edit(
    "deposits.sql",
    "create or replace trigger keep before",
    "create or replace trigger kept before",
  );
  writeFileSync(
    join(rulesFolder, "later.sql"),
    "-- Later.\ncreate or replace function later() returns text language sql return 'later';\n",
  );
  expect(await started()).toEqual([expect.stringMatching(/^rules\/0002 /)]);
  expect(await answer("payment_schedule(5000, 1) || ', ' || later()")).toBe(
    "$50.00 every single month, later",
  );
  expect(
    await answer(
      "array(select tgname::text from pg_trigger where tgrelid = 'deposits'::regclass and tgname like 'ke%')",
    ),
  ).toEqual(["kept"]);
  expect(await started()).toEqual([]);
});

test("a version with earlier rules refuses the database, and so does copying it", async () => {
  edit("billing.sql", "when 1 then 'month'", "when 1 then 'single month'");
  await started();
  const refusal = /newer version of Referral Network, which replaced its rules/;
  await expect(migrate(database.ownerConnectionString)).rejects.toThrow(refusal);
  await expect(refuseOtherMigrations(database.ownerConnectionString, "--from")).rejects.toThrow(
    refusal,
  );
  expect(await answer("payment_schedule(5000, 1)")).toBe("$50.00 every single month");
});

test.each([
  [
    "function iso",
    "create or replace function iso(instant timestamptz) returns text language sql return 'now'",
  ],
  [
    "function decide_shares",
    "create function decide_shares(id bigint) returns void language sql as ''",
  ],
  ["trigger keep on debits", "alter table debits disable trigger keep"],
  ["trigger append_only on entries", "drop trigger append_only on entries"],
])("a %s that was changed by hand is named, and nothing is changed", async (name, statement) => {
  await owner.query(statement);
  writeFileSync(join(folder, "9999_later.sql"), "create table later (id int);");
  await expect(started()).rejects.toThrow(
    `The ${name} of the database was changed or dropped by hand. Save that change if you need it. Then run "delete from rules where name = '${name}'" and start again to restore the product's version.`,
  );
  expect(await answer("to_regclass('later')")).toBeNull();
});

test("once its record is deleted, the product's own rule is restored", async () => {
  await owner.query("alter table debits disable trigger keep");
  await owner.query("drop trigger append_only on entries");
  await owner.query(
    "delete from rules where name in ('trigger keep on debits', 'trigger append_only on entries')",
  );
  expect(await started()).toEqual([]);
  expect(
    await answer(
      "array(select tgenabled::text from pg_trigger where tgname in ('keep', 'append_only') and tgrelid in ('debits'::regclass, 'entries'::regclass))",
    ),
  ).toEqual(["O", "O"]);
});

test("a migration's change to a rule is undone, whether other migrations follow or not", async () => {
  const later =
    "create or replace function dollars(amount_cents bigint) returns text language sql immutable return 'much';";
  writeFileSync(join(folder, "9998_first.sql"), later);
  writeFileSync(join(folder, "9999_last.sql"), "drop trigger keep on deposits;");
  expect(await started()).toEqual(["9998_first.sql", "9999_last.sql"]);
  expect(await answer("dollars(5)")).toBe("0.05");
  expect(
    await answer(
      "(select count(*)::int from pg_trigger where tgname = 'keep' and tgrelid = 'deposits'::regclass)",
    ),
  ).toBe(1);
});

test("a rule that fails undoes its migration", async () => {
  writeFileSync(join(folder, "9999_last.sql"), "create table later (id int);");
  edit("deposits.sql", "on deposits", "on no_such_table");
  await expect(started()).rejects.toThrow(
    'Migration 9999_last.sql failed and was undone: relation "no_such_table" does not exist.',
  );
  expect(await answer("to_regclass('later')")).toBeNull();
});

test("a file has only functions and triggers, each once", async () => {
  writeFileSync(join(rulesFolder, "more.sql"), "create table later (id int);\n");
  await expect(readRules(rulesFolder)).rejects.toThrow(
    "does not create a function or trigger: create table",
  );
  cpSync("rules/texts.sql", join(rulesFolder, "more.sql"));
  await expect(readRules(rulesFolder)).rejects.toThrow("rules/ has function dollars twice.");
});

test("a database restored from a backup starts: PostgreSQL prints each rule the same again", async () => {
  const told = async () => {
    const { rows } = await owner.query<{ name: string; made: string; dropped: string | null }>(`
      select 'function ' || p.proname as name, pg_get_functiondef(p.oid) as made, null as dropped
      from pg_proc p
      where p.pronamespace = 'public'::regnamespace
        and not exists (select from pg_depend d where d.objid = p.oid and d.deptype = 'e')
      union all
      select format('trigger %s on %s', t.tgname, c.relname), pg_get_triggerdef(t.oid),
        format('drop trigger %I on public.%I', t.tgname, c.relname)
      from pg_trigger t join pg_class c on c.oid = t.tgrelid
      where not t.tgisinternal and c.relnamespace = 'public'::regnamespace
      order by 1`);
    return rows;
  };
  // As pg_dump asks, and as what it wrote is run.
  await owner.query("set search_path = ''; set check_function_bodies = off");
  const backup = await told();
  for (const { made, dropped } of backup) await owner.query(dropped ? `${dropped}; ${made}` : made);
  expect(await told()).toEqual(backup);
  await owner.query("reset search_path");
  expect(await started()).toEqual([]);
});

test("rules with another system's line ends are the same rules", async () => {
  const [first] = [await readRules(rulesFolder)];
  for (const file of readdirSync(rulesFolder)) {
    const path = join(rulesFolder, file);
    writeFileSync(path, readFileSync(path, "utf8").replaceAll("\n", "\r\n"));
  }
  expect(await readRules(rulesFolder)).toEqual(first);
  expect(await started()).toEqual([]);
});
