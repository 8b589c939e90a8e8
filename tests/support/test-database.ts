import { randomBytes } from "node:crypto";
import { Client } from "pg";
import { inject } from "vitest";
import { z } from "zod";

export interface TestDatabase {
  /** Connection string of the role that serves requests: it changes rows, but no tables. */
  connectionString: string;
  /** Connection string of the tables' owner, for tests that disable triggers or damage what they protect. */
  ownerConnectionString: string;
  /** Also while connections to it are open: they are cut. */
  drop(): Promise<void>;
}

const Databases = z.object({
  connectionString: z.string(),
  servingConnectionString: z.string(),
  template: z.string(),
});
let databases: Promise<z.output<typeof Databases>> | undefined;

/** Where this run makes its databases: a PostgreSQL that starts at the first request. */
export async function testDatabases(): Promise<z.output<typeof Databases>> {
  databases ??= fetch(inject("testDatabasesUrl")).then(async (answer) => {
    if (!answer.ok) throw new Error(await answer.text());
    return Databases.parse(await answer.json());
  });
  return await databases;
}

/** An empty, migrated database of the caller's own: one per test file, dropped in its `afterAll`. */
export async function aTestDatabase(): Promise<TestDatabase> {
  const { servingConnectionString, template } = await testDatabases();
  const bare = await aBareDatabase(`template ${template} strategy file_copy`);
  const name = new URL(bare.connectionString).pathname.slice(1);
  // A copy does not get its template's database rights (src/kit/db/serving-role.ts).
  await administer(bare.connectionString, `revoke temporary on database ${name} from public`);
  return { ...bare, connectionString: inDatabase(servingConnectionString, name) };
}

/** The same without any table, as `create database` makes it with the given options, for its owner. */
export async function aBareDatabase(options = ""): Promise<TestDatabase> {
  const { connectionString } = await testDatabases();
  const name = `test_${randomBytes(6).toString("hex")}`;
  await administer(connectionString, `create database ${name} ${options}`);
  const address = inDatabase(connectionString, name);
  return {
    connectionString: address,
    ownerConnectionString: address,
    drop: () =>
      administer(connectionString, cutConnections(name), `drop database if exists ${name}`),
  };
}

function inDatabase(connectionString: string, name: string): string {
  const url = new URL(connectionString);
  url.pathname = `/${name}`;
  return url.href;
}

/**
 * Dropping "with (force)" would do the same, but is refused while autovacuum works there, whose process is
 * not ours to end. A plain drop sends it away.
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
