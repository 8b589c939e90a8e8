import pg from "pg";
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from "vitest";
import { copyTable } from "#kit/db/copy-database.ts";
import { aTestDatabase, type TestDatabase } from "#tests/support/test-database.ts";

let database: TestDatabase;
let source: pg.Client;
let target: pg.Client;
let other: pg.Client;

beforeAll(async () => void (database = await aTestDatabase()));
afterAll(() => database.drop());
beforeEach(async () => {
  [source, target, other] = [1, 2, 3].map(() => {
    const client = new pg.Client({ connectionString: database.ownerConnectionString });
    client.on("error", () => undefined); // cut on purpose below
    return client;
  }) as [pg.Client, pg.Client, pg.Client]; // as many as were asked for
  for (const client of [source, target, other]) await client.connect();
  await source.query("create temporary table copied (id bigint, text text)");
  await target.query("drop table if exists copied; create table copied (id bigint, text text)");
});
afterEach(async () => {
  for (const client of [source, target, other]) await client.end();
});

/** Fill the source's table with what a query answers, and copy the rows of it that `where` chooses. */
async function copy(
  query: string,
  { where = "true", onProgress = (_rows: number): void => undefined } = {},
): Promise<number> {
  await source.query(`insert into copied ${query}`);
  const columns = ["id", "text"].map((name) => ({ name, type: "" }));
  return await copyTable(source, target, { name: "copied", columns, where }, onProgress);
}

const copied = async () =>
  (await other.query<{ text: string | null }>("select text from copied order by id")).rows;

test("every value is copied unchanged", async () => {
  const values = String.raw`(1, E'a\tb\nc\r\nd\\.'), (2, ''), (3, null), (4, E'\\N'), (5, 'Zoë 🂡 "quoted", ''too''')`;
  expect(await copy(`values ${values}`)).toBe(5);
  expect((await copied()).map(({ text }) => text)).toEqual([
    "a\tb\nc\r\nd\\.",
    "",
    null,
    "\\N",
    "Zoë 🂡 \"quoted\", 'too'",
  ]);
});

test("no rows give no output", async () => {
  expect(await copy("select 1, '' where false")).toBe(0);
  expect(await copied()).toEqual([]);
});

test("more data than any buffer holds is copied completely, and the rows are counted", async () => {
  const query = "select i, repeat(md5(i::text), 3) from generate_series(1, 100000) i";
  const counts: number[] = [];
  expect(await copy(query, { onProgress: (rows) => counts.push(rows) })).toBe(100_000);
  const { rows } = await target.query(
    `select count(*) as same from (${query}) s (id, text) join copied using (id, text)`,
  );
  expect(rows).toEqual([{ same: "100000" }]);
  expect(counts.at(-1)).toBe(100_000);
  expect(counts.length).toBeGreaterThan(10);
});

test("data that cannot be read is not stored, and the target's connection stays usable", async () => {
  const query = "select i, repeat('x', 100) from generate_series(1, 100000) i";
  const copying = copy(query, { where: "1 / (90000 - id) < 2" });
  await expect(copying).rejects.toThrow("division by zero");
  expect((await target.query("select from copied")).rowCount).toBe(0);
});

test("the database's own error is thrown, and nothing is stored", async () => {
  await target.query("alter table copied add check (id < 90000)");
  const query = "select i, repeat('x', 100) from generate_series(1, 300000) i";
  await expect(copy(query)).rejects.toThrow("violates check constraint");
  expect(await copied()).toEqual([]);
});

test.each(["source", "target"])(
  "a connection to the %s that is cut ends the copy",
  async (which) => {
    const client = which === "source" ? source : target;
    const { rows } = await client.query<{ pid: number }>("select pg_backend_pid() as pid");
    let cut: Promise<unknown> | undefined;
    const copying = copy("select i, repeat('x', 1000) from generate_series(1, 300000) i", {
      onProgress: (given) => {
        if (given > 0) cut ??= other.query("select pg_terminate_backend($1)", [rows[0]?.pid]);
      },
    });
    await expect(copying).rejects.toThrow(/terminat|closed|EPIPE|ECONNRESET/i);
    await cut;
    expect(await copied()).toEqual([]);
  },
);
