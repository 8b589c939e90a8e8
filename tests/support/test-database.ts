import { randomBytes } from "node:crypto";
import { Client } from "pg";
import { inject } from "vitest";

export interface TestDatabase {
  connectionString: string;
  /** Also when connections to it are still open: they are cut. */
  drop(): Promise<void>;
}

/** An empty, migrated database of the caller's own: one per test file, dropped in its `afterAll`. */
export async function aTestDatabase(): Promise<TestDatabase> {
  const { connectionString, template } = inject("testDatabases");
  const name = `test_${randomBytes(6).toString("hex")}`;
  await administer(connectionString, `create database ${name} template ${template}`);
  const url = new URL(connectionString);
  url.pathname = `/${name}`;
  return {
    connectionString: url.href,
    drop: () => administer(connectionString, `drop database if exists ${name} with (force)`),
  };
}

async function administer(connectionString: string, statement: string): Promise<void> {
  const client = new Client({ connectionString });
  await client.connect();
  try {
    await client.query(statement);
  } finally {
    await client.end();
  }
}
