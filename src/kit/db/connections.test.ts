import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { checkConnections, divideConnections } from "#kit/db/connections.ts";
import { newClient } from "#kit/db/database.ts";
import { aTestDatabase, type TestDatabase } from "#tests/support/test-database.ts";

const web = { web: true, worker: false };
const worker = { web: false, worker: true };
const both = { web: true, worker: true };
const oneHost = { databaseUrl: "postgres://a/dues", databaseDirectUrl: null };
const twoHosts = { databaseUrl: "postgres://a,b/dues", databaseDirectUrl: null };

describe("how a process divides its connections", () => {
  test.each([
    ["web", oneHost, web, { statements: 19, sessions: 0 }],
    ["worker", oneHost, worker, { statements: 16, sessions: 3 }],
    ["both", oneHost, both, { statements: 15, sessions: 3 }],
    ["both, at several hosts", twoHosts, both, { statements: 14, sessions: 3 }],
  ])("as %s", (_, at, roles, share) => {
    expect(divideConnections({ databaseConnections: 20, roles, ...at })).toEqual(share);
  });
});

describe("the connections that the database accepts", () => {
  let database: TestDatabase;
  beforeAll(async () => {
    database = await aTestDatabase();
    const client = newClient(database.ownerConnectionString, "test", { statementMs: 10_000 });
    await client.connect();
    const { rows } = await client.query<{ name: string }>("select current_database() as name");
    await client.query(`alter database ${rows[0]?.name} connection limit 30`);
    await client.end();
  });
  afterAll(() => database.drop());

  const check = async (
    databaseConnections: number,
    roles = web,
    databaseDirectUrl: string | null = null,
  ) => {
    const said: string[] = [];
    await checkConnections(
      database.ownerConnectionString,
      { ...oneHost, databaseConnections, databaseDirectUrl, roles },
      (line) => said.push(line),
    );
    return said;
  };

  test("a process that fits starts without a warning", async () => {
    expect(await check(30)).toEqual([]);
  });

  test("one that needs more than the database accepts is refused", async () => {
    await expect(check(31)).rejects.toThrow(
      "This process may open 31 connections, but the database accepts at most 30. Set DATABASE_CONNECTIONS lower, or max_connections of PostgreSQL higher.",
    );
  });

  test("behind a pooler only direct connections count", async () => {
    expect(await check(500, both, "postgres://direct")).toEqual([]);
  });

  test("running processes are counted, too", async () => {
    const other = newClient(database.ownerConnectionString, "listener", { statementMs: 10_000 });
    await other.connect();
    expect(await check(15)).toEqual([]);
    expect(await check(16)).toEqual([
      "2 processes like this one may open 32 connections, but the database accepts at most 30. Set DATABASE_CONNECTIONS lower, or max_connections of PostgreSQL higher.",
    ]);
    await other.end();
  });
});
