import pg from "pg";
import { afterAll, beforeAll, expect, test } from "vitest";
import { prepareMarkedStatements } from "#db/prepared-statements.ts";
import { aTestDatabase, type TestDatabase } from "#tests/support/test-database.ts";

let database: TestDatabase;
beforeAll(async () => {
  database = await aTestDatabase();
});
afterAll(async () => await database.drop());

/** Work on a connection; answers the statements that it has kept. */
async function keptBy(work: (client: pg.Client) => Promise<unknown>): Promise<string[]> {
  const client = new pg.Client({ connectionString: database.connectionString });
  await client.connect();
  try {
    await work(client);
    const { rows } = await client.query<{ statement: string }>(
      "select statement from pg_prepared_statements order by prepare_time",
    );
    return rows.map(({ statement }) => statement);
  } finally {
    await client.end();
  }
}

test("a connection keeps the statements that ask for it, and answers as before", async () => {
  const kept = await keptBy(async (client) => {
    await prepareMarkedStatements(client);
    for (const number of [1, 2, 3]) {
      const one = await client.query("/* kept */ select $1::integer as n", [number]);
      const other = await client.query("select /* kept */ $1::integer + 1 as n", [number]);
      expect([one.rows, other.rows]).toEqual([[{ n: number }], [{ n: number + 1 }]]);
    }
    await client.query("select $1::integer as n", [1]);
    await client.query("select '/* kept */'");
  });
  expect(kept).toEqual([
    "/* kept */ select $1::integer as n",
    "select /* kept */ $1::integer + 1 as n",
  ]);
});

test("what a kept statement is refused for is told as before", async () => {
  await keptBy(async (client) => {
    await prepareMarkedStatements(client);
    const divide = (by: number) => client.query("/* kept */ select 1 / $1::integer", [by]);
    await expect(divide(0)).rejects.toThrow("division by zero");
    expect((await divide(1)).rows).toHaveLength(1);
  });
});

test("through a pooler, whose backends are not those that it was opened with, none is kept", async () => {
  const kept = await keptBy(async (client) => {
    Object.assign(client, { processID: 1 }); // as a pooler answers: a number of its own
    await prepareMarkedStatements(client);
    await client.query("/* kept */ select $1::integer as n", [1]);
  });
  expect(kept).toEqual([]);
});
