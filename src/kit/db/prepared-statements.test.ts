import { sql } from "kysely";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type Db, openDatabase, openPool } from "#kit/db/database.ts";
import { prepared } from "#kit/db/prepared-statements.ts";
import { aTestDatabase, type TestDatabase } from "#tests/support/test-database.ts";

let database: TestDatabase;
beforeAll(async () => {
  database = await aTestDatabase();
});
afterAll(async () => await database.drop());

/** Work on a database of one connection; answers the statements that it has kept. */
async function keptBy(
  work: (db: Db) => Promise<unknown>,
  processIdOf: (processId: unknown) => unknown = (processId) => processId,
): Promise<string[]> {
  const pool = openPool({ connectionString: database.connectionString, connections: 1 });
  pool.on("connect", (client) => {
    if (!("processID" in client)) throw new Error("The driver names no process id.");
    client.processID = processIdOf(client.processID);
  });
  const db = openDatabase(pool);
  try {
    await work(db);
    const { rows } = await sql<{ statement: string }>`
      select statement from pg_prepared_statements order by prepare_time`.execute(db);
    return rows.map(({ statement }) => statement);
  } finally {
    await db.destroy();
  }
}

test("a connection prepares the marked statements, with the same answers", async () => {
  const kept = await keptBy(async (db) => {
    for (const number of [1, 2, 3]) {
      const one = await sql`${prepared}select ${number}::integer as n`.execute(db);
      const built = db.selectNoFrom(sql<number>`${number}::integer + 1`.as("n"));
      const other = await built.modifyFront(prepared).execute();
      expect([one.rows, other]).toEqual([[{ n: number }], [{ n: number + 1 }]]);
    }
    await sql`select ${1}::integer as n`.execute(db);
    await sql`select '/* prepared */'`.execute(db);
  });
  expect(kept).toEqual([
    "/* prepared */ select $1::integer as n",
    'select /* prepared */  $1::integer + 1 as "n"',
  ]);
});

test("a prepared statement reports the same errors", async () => {
  await keptBy(async (db) => {
    const divide = (by: number) => sql`${prepared}select 1 / ${by}::integer`.execute(db);
    await expect(divide(0)).rejects.toThrow("division by zero");
    expect((await divide(1)).rows).toHaveLength(1);
  });
});

test("through a pooler, whose backends change, no statement is prepared", async () => {
  const kept = await keptBy(
    async (db) => await sql`${prepared}select ${1}::integer as n`.execute(db),
    () => 1, // as a pooler answers: a number of its own
  );
  expect(kept).toEqual([]);
});
