import { sql } from "kysely";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { type Db, openDatabase, openPool } from "#kit/db/database.ts";
import { pipeline } from "#kit/db/pipeline.ts";
import { aTestDatabase, type TestDatabase } from "#tests/support/test-database.ts";

let database: TestDatabase;
let db: Db;

beforeAll(async () => {
  database = await aTestDatabase();
  db = openDatabase(
    openPool({
      connectionString: database.ownerConnectionString,
      connections: 1,
      isPipelined: true,
    }),
  );
  await sql`create table notes (word text primary key)`.execute(db);
});
afterAll(async () => {
  await db.destroy();
  await database.drop();
});
beforeEach(async () => void (await sql`truncate notes`.execute(db)));

const words = sql<{ word: string }>`select word from notes order by word`;

test("the second statement sees the first one's changes", async () => {
  const note = sql<{ word: string }>`insert into notes values ('first') returning word`;
  expect(await pipeline(db, note, words)).toEqual([[{ word: "first" }], [{ word: "first" }]]);
});

test("the first one's error is thrown, and the connection stays usable", async () => {
  const twice = sql`insert into notes values ('again'), ('again')`;
  await expect(pipeline(db, twice, words)).rejects.toMatchObject({ code: "23505" });
  expect((await words.execute(db)).rows).toEqual([]);
});

test("the first one's changes stay if the second fails", async () => {
  const note = sql`insert into notes values ('kept')`;
  await expect(pipeline(db, note, sql`select 1 / 0`)).rejects.toMatchObject({ code: "22012" });
  expect((await words.execute(db)).rows).toEqual([{ word: "kept" }]);
});

test("many at the same time each get their own answers", async () => {
  const numbers = Array.from({ length: 50 }, (_, index) => index);
  const answers = await Promise.all(
    numbers.map((number) =>
      pipeline(
        db,
        sql<{ n: number }>`select ${number}::int as n`,
        sql<{ n: number }>`select ${number + 1}::int as n`,
      ),
    ),
  );
  expect(answers).toEqual(numbers.map((number) => [[{ n: number }], [{ n: number + 1 }]]));
});

test("a connection lost between the two fails both", async () => {
  const lost = pipeline(db, sql`select pg_terminate_backend(pg_backend_pid())`, words);
  await expect(lost).rejects.toThrow("terminat");
  expect((await words.execute(db)).rows).toEqual([]);
});
