import { expect } from "vitest";
import { openPool } from "#db/database.ts";
import { bringUpToDate, migrate } from "#db/migrate.ts";
import { findExcessRights } from "#db/serving-role.ts";
import { makeNetwork } from "#features/demo/records/networks.ts";
import { database, databaseTest, db, pool } from "#tests/support/database-test.ts";
import { sql } from "kysely";

/* What an injected statement could do: it runs as the role that requests are served as. */

const test = databaseTest();
const denied = /permission denied|must be owner|must be superuser|only roles with/i;

test.for([
  "drop table ledger_entries",
  "truncate audit_entries",
  "truncate sessions",
  "alter table debits disable trigger user",
  "alter table ledger_entries disable trigger append_only",
  "alter table payments drop constraint payments_pkey",
  "alter table users add column password text",
  "drop trigger append_only on ledger_entries",
  "create trigger mine before insert on users for each row execute function refuse_change()",
  "create or replace function refuse_change() returns trigger language plpgsql as 'begin return new; end'",
  "alter function keep_debit() owner to current_user",
  "create table mine (id int)",
  "create function mine() returns int language sql as 'select 1'",
  "create view mine as select * from users",
  "create schema mine",
  "create table mine (id int references networks)",
  "create index mine on users (email)",
  "create rule mine as on insert to audit_entries do instead nothing",
  "alter table matters enable row level security",
  "insert into migrations (name) values ('9999_mine.sql')",
  "update migrations set checksum = ''",
  "set session_replication_role = replica",
  "set role referral_network",
  "grant referral_network to current_user",
  "alter table ledger_entries owner to current_user",
  "select setval('users_id_seq', 1)",
  "drop table pgboss.job",
  "create table pgboss.mine (id int)",
  "alter database postgres owner to current_user",
  "create role mine superuser",
  "copy users to '/tmp/users'",
  "copy users to program 'cat'",
  "select pg_read_file('/etc/passwd')",
  "select analyze_tables(array['migrations'::regclass])",
  "select analyze_referred('migrations', 1000)",
])("may not: %s", async (statement) => {
  await expect(pool.query(statement)).rejects.toThrow(denied);
});

test("may not change or remove what is written once, whatever the triggers say", async () => {
  await makeNetwork(db);
  const written = ["ledger_entries", "credit_entries", "charges", "matter_reports"];
  const refused = [
    ...written.map((table) => [table, `delete from ${table}`]),
    ...[...written, "audit_entries"].map((table) => [table, `update ${table} set network_id = 0`]),
  ];
  for (const [table, statement = ""] of refused)
    await expect(pool.query(statement)).rejects.toThrow(`permission denied for table ${table}`);
  for (const table of ["debits", "payments", "payment_allocations", "card_payments", "plans"])
    await expect(pool.query(`delete from ${table}`)).rejects.toThrow("permission denied");
});

test("may do with every other table what serving takes: no right is missing or too many, and none is left behind", async () => {
  const rights = async () => {
    const { rows } = await sql<{ kind: string; rights: string; relname: string }>`
      select c.relkind as kind, string_agg(a.privilege_type, ' ' order by a.privilege_type) as rights, c.relname
      from pg_class c, aclexplode(c.relacl) a
      where a.grantee = current_user::regrole and c.relnamespace in ('public'::regnamespace, 'pgboss'::regnamespace)
      group by c.oid, c.relkind, c.relname`.execute(db);
    return rows;
  };
  const before = await rights();
  expect(new Set(before.map((row) => row.rights))).toEqual(
    new Set([
      "SELECT",
      "SELECT USAGE",
      "INSERT SELECT",
      "DELETE INSERT SELECT", // audit entries, of which old traces of signing in are removed
      "INSERT SELECT UPDATE",
      "DELETE INSERT SELECT UPDATE",
    ]),
  );
  const onlyRead = before.filter((row) => row.rights === "SELECT");
  expect(onlyRead.toSorted((a, b) => a.relname.localeCompare(b.relname))).toMatchObject([
    { relname: "account_emails" },
    { relname: "directory_entries" },
    { relname: "migrations" },
    { relname: "network_move_steps" },
    { relname: "network_moves" },
  ]);

  const owner = openPool({ connectionString: database.ownerConnectionString, connections: 1 });
  await owner.query("grant all on users, ledger_entries to referral_network_server");
  await owner.query("create table later (id bigint generated always as identity primary key)");
  const addresses = {
    directConnectionString: database.connectionString,
    ownerConnectionString: database.ownerConnectionString,
  };
  expect(await bringUpToDate(addresses)).toEqual([]);
  expect(await rights()).toHaveLength(before.length + 2);
  await pool.query("insert into later default values");
  await owner.query("drop table later");
  expect(await rights()).toEqual(before);
  await owner.end();
});

test("is told apart from an owner, and from roles that nothing can be kept from", async () => {
  expect(await findExcessRights(database.connectionString)).toBeNull();
  expect(await findExcessRights(database.ownerConnectionString)).toMatch(
    /^The role referral_network of DATABASE_URL owns tables of the database, .*: make one of its own for serving \(create role .*\), then run "npm run cli -- migrate" once with .*\.$/,
  );
  await expect(
    migrate(database.ownerConnectionString, { servingRole: "postgres" }),
  ).rejects.toThrow(/^The role postgres of DATABASE_URL is a superuser, so nothing can be kept/);
});
