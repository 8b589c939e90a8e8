import { randomBytes } from "node:crypto";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Client } from "pg";
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from "vitest";
import { migrate } from "#kit/db/migrate.ts";
import { findExcessRights } from "#kit/db/serving-role.ts";
import { testDatabases } from "#tests/support/test-database.ts";

/* Databases that another role created, and a role that may only connect to them. */

let superuser: Client;
let role: string;
let database: string;
/** Of the database, for the superuser. */
let administrators: Client;

/** Migrations that need no time: where the first statement is refused, it makes no difference. */
let folder: string;

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "rn-rights-"));
  writeFileSync(join(folder, "0001.sql"), "select 1");
});
afterAll(() => rmSync(folder, { recursive: true }));

const { connectionString, template } = await testDatabases();

function address(user: string, password?: string): string {
  const url = new URL(connectionString);
  url.username = user;
  if (password) url.password = password; // the superuser's is that of the product's own role
  url.pathname = `/${database}`;
  return url.href;
}

beforeEach(async () => {
  const name = randomBytes(6).toString("hex");
  role = `role_${name}`;
  database = "postgres";
  superuser = new Client({ connectionString: address("postgres") });
  await superuser.connect();
  database = `rights_${name}`;
  await superuser.query(`create role ${role} login password '${role}'`);
});
afterEach(async () => {
  await administrators.end();
  await superuser.query(`drop database ${database} with (force)`);
  await superuser.query(`drop role ${role}`);
  await superuser.end();
});

async function make(how: string): Promise<void> {
  await superuser.query(`create database ${database} ${how}`);
  administrators = new Client({ connectionString: address("postgres") });
  await administrators.connect();
}

test("a role with too many rights is reported, with the statements that revoke them", async () => {
  await make("");
  const serving = address(role, role);
  expect(await findExcessRights(serving)).toBeNull();
  await superuser.query(`alter role ${role} createrole createdb`);
  await superuser.query(`grant pg_signal_backend, pg_read_all_stats to ${role}`);
  const sentence = `The role ${role} of DATABASE_URL has rights that serving does not need. As a superuser, run "alter role ${role} nocreaterole nocreatedb; revoke pg_signal_backend from ${role}".`;
  expect(await findExcessRights(serving)).toBe(sentence);
  const [, statements = ""] = /"(.*)"/.exec(sentence) ?? [];
  await superuser.query(statements);
  expect(await findExcessRights(serving)).toBeNull();
});

const migrated = (from?: string) => migrate(address(role, role), { folder: from });
const refusal = async () => String(await migrated().catch((problem: Error) => problem.message));

/** The statements that the message tells the operator to run. */
const remedyIn = (sentence: string) => /run "([^"]+)"/.exec(sentence)?.[1] ?? "";

test("a role that does not own the database is reported, with the statement that makes it the owner", async () => {
  await make("template template0");
  const sentence = await refusal();
  expect(sentence).toBe(
    `The role ${role} may not change the database ${database} (permission denied for schema public), which it must own: as a superuser, in that database, run "alter database ${database} owner to ${role}". Or run "npm run cli -- migrate" with the address of the role that owns it as MIGRATE_DATABASE_URL.`,
  );
  await administrators.query(remedyIn(sentence));
  expect(await migrated(folder)).toEqual(["0001.sql"]);
});

test("so is one whose schema belongs to another role, as before PostgreSQL 15", async () => {
  await make(`template template0 owner ${role}`);
  await administrators.query(
    "alter schema public owner to postgres; revoke all on schema public from public",
  );
  const sentence = await refusal();
  expect(sentence).toContain(`run "alter schema public owner to ${role}".`);
  await administrators.query(remedyIn(sentence));
  expect(await migrated(folder)).toEqual(["0001.sql"]);
});

test("so is one that owns the database but not its tables", async () => {
  await make(`template ${template} owner ${role}`);
  const sentence = await refusal();
  expect(sentence).toBe(
    `The role ${role} may not change the database ${database} (permission denied for table migrations), which it must own: as a superuser, in that database, run "grant referral_network to ${role}".`,
  );
  await administrators.query(remedyIn(sentence));
  expect(await migrated()).toEqual([]);
});

test("the serving role is told that the owner must migrate, and needs no right if nothing is missing", async () => {
  await make(`template ${template} owner referral_network`);
  expect(await refusal()).toMatch(/permission denied for table migrations/);
  const owner = address("referral_network");
  expect(await migrate(owner, { servingRole: role })).toEqual([]);
  expect(await migrated()).toEqual([]);
  await administrators.query("delete from migrations where name = '0039_statistics.sql'");
  expect(await refusal()).toMatch(
    new RegExp(
      `^The database ${database} is not up to date with this version, and the role ${role}, which serves requests, may not change it \\(.*\\)\\. Run "npm run cli -- migrate" with the address of its owner, referral_network, as MIGRATE_DATABASE_URL\\.$`,
    ),
  );
});

test("a superuser's tables must be moved with a backup, since no role gets a superuser's rights", async () => {
  await make(`template ${template} owner ${role}`);
  await administrators.query("alter table migrations owner to postgres");
  expect(await refusal()).toContain(
    `its tables belong to a superuser, so create a database that ${role} owns and restore a backup there as ${role}`,
  );
});

test("a read-only database is reported", async () => {
  await make(`template template0 owner ${role}`);
  await administrators.query(`alter database ${database} set default_transaction_read_only = on`);
  expect(await refusal()).toMatch(
    new RegExp(`^The role ${role} may only read the database ${database} \\(cannot execute `),
  );
});
