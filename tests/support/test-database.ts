import { randomBytes } from "node:crypto";
import { Client } from "pg";
import { inject } from "vitest";
import { z } from "zod";
import type { RunDatabase } from "#tests/support/run-database.ts";

export interface TestDatabase {
  connectionString: string;
  /** Also when connections to it are still open: they are cut. */
  drop(): Promise<void>;
}

let databases: Promise<Pick<RunDatabase, "connectionString" | "template">> | undefined;

/** Where this run makes its databases: a PostgreSQL that is started for whoever asks first. */
export async function testDatabases(): Promise<Pick<RunDatabase, "connectionString" | "template">> {
  databases ??= fetch(inject("testDatabasesUrl")).then(async (answer) => {
    if (!answer.ok) throw new Error(await answer.text());
    return z
      .object({ connectionString: z.string(), template: z.string() })
      .parse(await answer.json());
  });
  return await databases;
}

/** An empty, migrated database of the caller's own: one per test file, dropped in its `afterAll`. */
export async function aTestDatabase(): Promise<TestDatabase> {
  return await aBareDatabase(`template ${(await testDatabases()).template} strategy file_copy`);
}

/** The same without any table, as `create database` makes it with the given options. */
export async function aBareDatabase(options = ""): Promise<TestDatabase> {
  const { connectionString } = await testDatabases();
  const name = `test_${randomBytes(6).toString("hex")}`;
  await administer(connectionString, `create database ${name} ${options}`);
  const url = new URL(connectionString);
  url.pathname = `/${name}`;
  return {
    connectionString: url.href,
    drop: () =>
      administer(connectionString, cutConnections(name), `drop database if exists ${name}`),
  };
}

/**
 * Dropping "with (force)" would do the same, but is refused when autovacuum is at work there: its
 * process is not ours to end. A plain drop sends it away by itself.
 */
const cutConnections = (name: string) =>
  `select pg_terminate_backend(pid) from pg_stat_activity
    where datname = '${name}' and backend_type = 'client backend'`;

async function administer(connectionString: string, ...statements: string[]): Promise<void> {
  const client = new Client({ connectionString });
  await client.connect();
  try {
    for (const statement of statements) await client.query(statement);
  } finally {
    await client.end();
  }
}
