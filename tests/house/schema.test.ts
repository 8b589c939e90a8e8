import { readFileSync } from "node:fs";
import { sql } from "kysely";
import { describe, expect } from "vitest";
import { database, databaseTest, db } from "#tests/support/database-test.ts";
import { schemaTypes } from "../../scripts/schema-types.ts";

/* Rules for all tables, present and future. */

const test = databaseTest({ connections: 2 });

/** The tenant itself, the migrations' record, and facts about the whole database. */
const withoutNetwork = ["networks", "migrations", "rules", "installation"];

/**
 * Keys without the network, each for a reason. The auth library looks up accounts and sessions before the
 * network is known: an email address or a cookie belongs to one account in the whole system. Domain rules §8,
 * migrations/0011_sign_in.sql.
 */
const keysWithoutNetwork = [
  "networks: networks_pkey", // the tenant itself
  "rules: rules_pkey",
  "migrations: migrations_pkey", // the migrations' record: of the database, not of a network
  "installation: installation_pkey", // one row: of the database, not of a network
  "users: users_pkey", // the library identifies a user by it
  "users: users_email_key", // an address belongs to one account in the whole system
  "accounts: accounts_pkey", // the library's
  "accounts: accounts_user_id_provider_id_key", // one password per user, who has one network
  "sessions: sessions_pkey", // the library's; ended sessions are announced by it
  "sessions: sessions_token_key", // the cookie: its owner is unknown before the lookup
  "verifications: verifications_pkey", // the library's: challenges before anybody has signed in
  "two_factors: two_factors_pkey", // the library's
  "two_factors: two_factors_user_id_key", // one authenticator app per user, who has one network
  "passkeys: passkeys_pkey", // the library's
  "passkeys: passkeys_credential_id_key", // named by the browser: its owner is unknown before the lookup
  "sign_in_failures: sign_in_failures_pkey", // counted by address and email, of an account or not
  "api_tokens: api_tokens_hash_key", // the token: its owner is unknown before the lookup
  "link_requests: link_requests_pkey", // counted by address, for any account
];

interface Key {
  table: string;
  name: string;
  columns: string[];
}

async function uniqueKeys(): Promise<Key[]> {
  const { rows } = await sql<Key>`
    select t.relname as "table", i.relname as name, array(
      select a.attname::text from unnest(x.indkey::smallint[]) as k
      join pg_attribute a on a.attrelid = t.oid and a.attnum = k) as columns
    from pg_index x
    join pg_class t on t.oid = x.indrelid join pg_class i on i.oid = x.indexrelid
    where (x.indisunique or x.indisexclusion) and t.relnamespace = 'public'::regnamespace`.execute(
    db,
  );
  return rows;
}

interface ForeignKey extends Key {
  parent: string;
  onDelete: string;
  /** True if an index over all referring rows begins with one of these columns besides the network. */
  isIndexed: boolean;
}

async function foreignKeys(): Promise<ForeignKey[]> {
  const { rows } = await sql<ForeignKey>`
    select t.relname as "table", c.conname as name, p.relname as parent, c.confdeltype as on_delete,
      array(select a.attname::text from unnest(c.conkey) as k
        join pg_attribute a on a.attrelid = c.conrelid and a.attnum = k) as columns,
      exists (
        select from pg_index x
        join pg_attribute f on f.attrelid = x.indrelid and f.attnum = x.indkey[0]
        where x.indrelid = c.conrelid and (x.indpred is null or exists (
          select from unnest(c.conkey) as k
          join pg_attribute a on a.attrelid = c.conrelid and a.attnum = k
          where pg_get_expr(x.indpred, x.indrelid) = '(' || a.attname || ' IS NOT NULL)'
        )) and case f.attname
          when 'network_id' then cardinality(c.conkey) = 1 or x.indkey[1] = any(c.conkey)
            else x.indkey[0] = any(c.conkey) end
      ) as is_indexed
    from pg_constraint c
    join pg_class t on t.oid = c.conrelid join pg_class p on p.oid = c.confrelid
    where c.contype = 'f' and t.relnamespace = 'public'::regnamespace`.execute(db);
  return rows;
}

const named = ({ table, name }: Key) => `${table}: ${name}`;

describe("every table", () => {
  test("has a network column, except the tables above networks", async () => {
    const { rows } = await sql<{ name: string }>`
      select t.relname as name from pg_class t
      where t.relkind in ('r', 'p') and t.relnamespace = 'public'::regnamespace and not exists (
        select from pg_attribute a
        where a.attrelid = t.oid and a.attname = 'network_id' and a.attnotnull)
      order by name`.execute(db);
    expect(rows.map((row) => row.name)).toEqual(
      [...withoutNetwork, "link_requests", "sign_in_failures", "verifications"].toSorted(),
    );
  });

  test("has its network in every primary and unique key", async () => {
    const keys = await uniqueKeys();
    expect(keys.filter((key) => key.columns.includes("network_id")).length).toBeGreaterThan(30);
    const without = keys.filter((key) => !key.columns.includes("network_id"));
    expect(without.map(named).toSorted()).toEqual(keysWithoutNetwork.toSorted());
  });

  test("has a primary key", async () => {
    const { rows } = await sql<{ name: string }>`
      select t.relname as name from pg_class t
      where t.relkind in ('r', 'p') and t.relnamespace = 'public'::regnamespace
        and not exists (select from pg_index x where x.indrelid = t.oid and x.indisprimary)`.execute(
      db,
    );
    expect(rows).toEqual([]);
  });

  test("refers to rows of its own network: the network columns are matched", async () => {
    const { rows } = await sql<{ name: string }>`
      select t.relname || ': ' || c.conname as name
      from pg_constraint c join pg_class t on t.oid = c.conrelid
      join pg_class p on p.oid = c.confrelid
      where c.contype = 'f' and t.relnamespace = 'public'::regnamespace and not exists (
        select from unnest(c.conkey, c.confkey) as pair (child, parent)
        join pg_attribute a on a.attrelid = c.conrelid and a.attnum = pair.child
        join pg_attribute b on b.attrelid = c.confrelid and b.attnum = pair.parent
        where a.attname = 'network_id'
          and b.attname = case p.relname when 'networks' then 'id' else 'network_id' end)`.execute(
      db,
    );
    expect(rows).toEqual([]);
  });

  test("has its network in every foreign key, and each key declares what happens to the row", async () => {
    const keys = await foreignKeys();
    expect(keys.length).toBeGreaterThan(10);
    expect(keys.filter((key) => !key.columns.includes("network_id")).map(named)).toEqual([]);
    expect(keys.filter((key) => !["r", "c", "n"].includes(key.onDelete)).map(named)).toEqual([]);
  });

  test("has an index for each foreign key that a page or a cascade follows", async () => {
    const notFollowed = [
      // Parents that are never deleted; pages' queries have partial indexes of their own.
      "enrolments: enrolments_network_id_plan_id_fkey",
      "payment_allocations: payment_allocations_network_id_attorney_id_debit_id_fkey",
      "entries: entries_debit",
      "entries: entries_received_check",
      "debits: debits_network_id_billing_run_id_fkey",
      "enrolments: enrolments_batch",
      "received_checks: received_checks_network_id_return_charge_id_fkey",
      "card_payments: card_payments_network_id_processor_card_processor_id_fkey",
      "card_refunds: card_refunds_network_id_processor_card_processor_id_fkey",
    ];
    const unindexed = (await foreignKeys()).filter((key) => !key.isIndexed);
    expect(unindexed.filter((key) => key.onDelete !== "r").map(named)).toEqual([]);
    expect(unindexed.map(named).filter((name) => !notFollowed.includes(name))).toEqual([]);
  });

  test("stores money as whole cents, dates as dates, instants with their zone", async () => {
    const { rows } = await sql<{ name: string; type: string }>`
      select table_name || '.' || column_name as name, data_type as type
      from information_schema.columns where table_schema = 'public'`.execute(db);
    const oddOnes = rows.filter(
      ({ name, type }) =>
        (name.endsWith("_cents") && type !== "bigint") ||
        /\.(day|through)$|_(on|until|through|of|date)$/.test(name) !== (type === "date") ||
        (name.endsWith("_at") && type !== "timestamp with time zone") ||
        ["real", "double precision", "numeric", "money", "timestamp without time zone"].includes(
          type,
        ),
    );
    expect(oddOnes).toEqual([]);
  });
});

test("src/kit/db/schema.ts matches the tables", async () => {
  const written = readFileSync(new URL("../../src/kit/db/schema.ts", import.meta.url), "utf8");
  expect(
    await schemaTypes(database.connectionString),
    "src/kit/db/schema.ts differs from the migrated tables: run `npm run schema`",
  ).toBe(written);
});
