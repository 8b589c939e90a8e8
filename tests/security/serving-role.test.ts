import { expect } from "vitest";
import { openPool } from "#kit/db/database.ts";
import { migrateAsOwner, migrate } from "#kit/db/migrate.ts";
import { findExcessRights } from "#kit/db/serving-role.ts";
import { makeAttorney } from "#tests/support/records/attorneys.ts";
import { makeDebit } from "#tests/support/records/dues.ts";
import { makeNetwork } from "#tests/support/records/networks.ts";
import { database, databaseTest, db, pool } from "#tests/support/database-test.ts";
import { sql } from "kysely";

/* What an injected statement could do: it runs as the role that serves requests. */

const test = databaseTest();
const denied = /permission denied|must be owner|must be superuser|only roles with/i;

test.for([
  "drop table entries",
  "truncate audit_entries",
  "truncate sessions",
  "alter table debits disable trigger user",
  "alter table entries disable trigger append_only",
  "alter table payments drop constraint payments_pkey",
  "alter table users add column password text",
  "drop trigger append_only on entries",
  "create trigger mine before insert on users for each row execute function refuse_change()",
  "create or replace function refuse_change() returns trigger language plpgsql as 'begin return new; end'",
  "alter function keep_debit() owner to current_user",
  "create table mine (id int)",
  "create function mine() returns int language sql as 'select 1'",
  "create view mine as select * from users",
  "create schema mine",
  "create temporary table mine (id int)",
  "create temporary table entries (id int)",
  "create function pg_temp.mine() returns trigger language plpgsql as 'begin return new; end'",
  "create table mine (id int references networks)",
  "create index mine on users (email)",
  "create rule mine as on insert to audit_entries do instead nothing",
  "alter table matters enable row level security",
  "insert into migrations (name) values ('9999_mine.sql')",
  "update migrations set checksum = ''",
  "delete from rules",
  "set session_replication_role = replica",
  "set role referral_network",
  "grant referral_network to current_user",
  "alter table entries owner to current_user",
  "select setval('users_id_seq', 1)",
  "select nextval('users_id_seq') from generate_series(1, 1000000)",
  "select post_entries()",
  "drop table pgboss.job",
  "create table pgboss.mine (id int)",
  "alter database postgres owner to current_user",
  "create role mine superuser",
  "copy users to '/tmp/users'",
  "copy users to program 'cat'",
  "select pg_read_file('/etc/passwd')",
  "select analyze_tables(array['migrations'::regclass])",
  "select analyze_tables(array['pgboss.job_common'::regclass])",
  "select analyze_tables(array['pg_class'::regclass])",
  "select analyze_referred('migrations', 1000)",
])("may not: %s", async (statement) => {
  await expect(pool.query(statement)).rejects.toThrow(denied);
});

test("cannot change or delete append-only rows, whatever the triggers say", async () => {
  await makeNetwork(db);
  const written = ["entries", "book_closings", "charges", "matter_reports"];
  const refused = [
    ...written.map((table) => [table, `delete from ${table}`]),
    ...[...written, "audit_entries"].map((table) => [table, `update ${table} set network_id = 0`]),
  ];
  for (const [table, statement = ""] of refused)
    await expect(pool.query(statement)).rejects.toThrow(`permission denied for table ${table}`);
  for (const table of ["debits", "payments", "payment_allocations", "card_payments", "plans"])
    await expect(pool.query(`delete from ${table}`)).rejects.toThrow("permission denied");
});

test("cannot change a balance except by ledger entries, not even with a trigger of its own", async () => {
  const network = await makeNetwork(db);
  const debit = await makeDebit(db, network, await makeAttorney(db, network));
  const client = await pool.connect();
  for (const statement of [
    `update debits set balance_cents = 1 where id = ${debit}`,
    "create temporary table lever (id int)",
    `create function pg_temp.pull() returns trigger language plpgsql as $$ begin
      update debits set balance_cents = 1 where id = ${debit}; return new; end $$`,
    "create trigger pull after insert on lever for each row execute function pg_temp.pull()",
    "insert into lever values (1)",
    "create temporary table false_entries (like entries)",
    `create trigger post after insert on false_entries for each row execute function post_entries()`,
    `insert into false_entries select * from entries where debit_id = ${debit}`,
    // It does not own what it may use.
    `do $$ begin perform create_staging_table('imported_rows');
      create trigger post after insert on imported_rows for each row execute function post_entries(); end $$`,
    `do $$ begin perform create_staging_table('imported_rows');
      create function pg_temp.pull() returns trigger language plpgsql as 'begin update debits set balance_cents = 1; return new; end';
      create trigger pull after insert on imported_rows for each row execute function pg_temp.pull();
      insert into imported_rows (line) values (1); end $$`,
  ])
    await client.query(statement).catch(() => undefined);
  client.release(true);
  const balance = db.selectFrom("debits").select(["amountCents", "balanceCents"]);
  const { amountCents, balanceCents } = await balance
    .where("id", "=", debit)
    .executeTakeFirstOrThrow();
  expect(balanceCents).toBe(amountCents);
});

test("gets the owner's rights only through functions that see nothing of the caller's and that nobody else may call", async () => {
  const { rows } = await sql<{ name: string; settings: string[]; isPublic: boolean }>`
    select p.proname as name, p.proconfig as settings,
      p.proacl is null or exists (select from aclexplode(p.proacl) a where a.grantee = 0) as is_public
    from pg_proc p where p.prosecdef and p.pronamespace in ('public'::regnamespace, 'pgboss'::regnamespace)
    order by name`.execute(db);
  const settings = ["search_path=pg_catalog, pg_temp"];
  expect(rows).toEqual([
    { name: "analyze_referred", settings: [...settings, "lock_timeout=3s"], isPublic: false },
    { name: "analyze_tables", settings, isPublic: false },
    { name: "create_staging_table", settings, isPublic: false },
  ]);
});

test("gets nothing through PUBLIC: no table, no trigger function, no right to create anything", async () => {
  const { rows } = await sql<{ right: string }>`
    select format('%s on %s', a.privilege_type, c.oid::regclass) as right from pg_class c, aclexplode(c.relacl) a
    where a.grantee = 0 and c.relnamespace in ('public'::regnamespace, 'pgboss'::regnamespace)
    union all
    select format('%s on schema %s', a.privilege_type, n.nspname)
    from pg_namespace n, aclexplode(n.nspacl) a
    where a.grantee = 0 and n.nspname in ('public', 'pgboss') and a.privilege_type <> 'USAGE'
    union all
    select format('%s on the database', a.privilege_type)
    from pg_database d, aclexplode(coalesce(d.datacl, acldefault('d', d.datdba))) a
    where d.datname = current_database() and a.grantee = 0 and a.privilege_type <> 'CONNECT'
    union all
    select format('execute on %s', p.oid::regprocedure) from pg_proc p
    where p.pronamespace in ('public'::regnamespace, 'pgboss'::regnamespace) and p.prorettype = 'trigger'::regtype
      and has_function_privilege(p.oid, 'execute')`.execute(db);
  expect(rows).toEqual([]);
});

test("has exactly the rights on every other table that serving needs", async () => {
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
      "INSERT SELECT",
      "DELETE INSERT SELECT", // audit entries, of which old traces of signing in are deleted
      "INSERT SELECT UPDATE",
      "DELETE INSERT SELECT UPDATE",
    ]),
  );
  const onlyRead = before.filter((row) => row.kind !== "S" && row.rights === "SELECT");
  expect(onlyRead.toSorted((a, b) => a.relname.localeCompare(b.relname))).toMatchObject([
    { relname: "migrations" },
    { relname: "rules" },
  ]);

  const owner = openPool({ connectionString: database.ownerConnectionString, connections: 1 });
  await owner.query("grant all on users, entries to referral_network_server");
  await owner.query("create table later (id bigint generated always as identity primary key)");
  const addresses = {
    directConnectionString: database.connectionString,
    ownerConnectionString: database.ownerConnectionString,
  };
  expect(await migrateAsOwner(addresses)).toEqual([]);
  expect(await rights()).toHaveLength(before.length + 2);
  await pool.query("insert into later default values");
  await owner.query("drop table later");
  expect(await rights()).toEqual(before);
  await owner.end();
});

test("is distinguished from an owner, and from roles that cannot be restricted", async () => {
  expect(await findExcessRights(database.connectionString)).toBeNull();
  expect(await findExcessRights(database.ownerConnectionString)).toMatch(
    /^The role referral_network of DATABASE_URL owns tables of the database, .*: create a separate role for serving \(create role .*\), then run "npm run cli -- migrate" once with .*\.$/,
  );
  await expect(
    migrate(database.ownerConnectionString, { servingRole: "postgres" }),
  ).rejects.toThrow(
    /^The role postgres of DATABASE_URL is a superuser, so its rights cannot be limited/,
  );
});
