import pg from "pg";
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from "vitest";
import { copyIn } from "#db/copy-in.ts";
import { copyRows } from "#db/copy-out.ts";
import { aTestDatabase, type TestDatabase } from "#tests/support/test-database.ts";

let database: TestDatabase;
let source: pg.Client;
let target: pg.Client;

beforeAll(async () => void (database = await aTestDatabase()));
afterAll(() => database.drop());
beforeEach(async () => {
  [source, target] = [1, 2].map(() => {
    const client = new pg.Client({ connectionString: database.ownerConnectionString });
    client.on("error", () => undefined); // cut on purpose below
    return client;
  }) as [pg.Client, pg.Client]; // as many as were asked for
  await source.connect();
  await target.connect();
  await target.query("drop table if exists taken; create table taken (id bigint, text text)");
});
afterEach(async () => {
  await source.end();
  await target.end();
});

const copy = (query: string) =>
  copyIn(target, "copy taken (id, text) from stdin", (write) =>
    copyRows(source, `copy (${query}) to stdout`, async (piece) => await write(piece)),
  );

const taken = async () =>
  (await target.query<{ id: string; text: string | null }>("select * from taken order by id")).rows;

test("every value arrives as it was, whatever is in it", async () => {
  const values = String.raw`(1, E'a\tb\nc\r\nd\\.'), (2, ''), (3, null), (4, E'\\N'), (5, 'Zoë 🂡 "quoted", ''too''')`;
  expect(await copy(`select * from (values ${values}) as v (id, text)`)).toBe(5);
  expect((await taken()).map(({ text }) => text)).toEqual([
    "a\tb\nc\r\nd\\.",
    "",
    null,
    "\\N",
    "Zoë 🂡 \"quoted\", 'too'",
  ]);
});

test("nothing is nothing", async () => {
  expect(await copy("select 1, '' where false")).toBe(0);
  expect(await taken()).toEqual([]);
});

test("more than any buffer holds arrives whole", async () => {
  const query = "select i as id, repeat(md5(i::text), 3) as text from generate_series(1, 100000) i";
  expect(await copy(query)).toBe(100_000);
  const { rows } = await target.query(
    `select count(*) as same from (${query}) s join taken t using (id, text)`,
  );
  expect(rows).toEqual([{ same: "100000" }]);
});

test("a database that is slow to take rows holds up whoever gives them", async () => {
  await target.query(`
    create or replace function wait_for_test() returns trigger language plpgsql as $$
      begin perform pg_advisory_xact_lock_shared(4711); return new; end $$;
    create trigger wait before insert on taken for each row execute function wait_for_test()`);
  await source.query("select pg_advisory_lock(4711)");
  const piece = Buffer.from(`1\t${"x".repeat(1_000_000)}\n`);
  let given = 0;
  let isWaiting = () => false;
  const copying = copyIn(target, "copy taken (id, text) from stdin", async (write) => {
    for (; given < 100; given += 1) {
      const written = write(piece);
      let isDone = false;
      isWaiting = () => !isDone;
      await written;
      isDone = true;
    }
  });
  // It waits once the buffers on the way are full: a hundred million bytes fit into none.
  await expect.poll(() => isWaiting(), { timeout: 60_000 }).toBe(true);
  expect(given).toBeLessThan(100);
  await source.query("select pg_advisory_unlock(4711)");
  expect(await copying).toBe(100);
});

test("what cannot be read is not kept, and the connection goes on", async () => {
  const failing = copyIn(target, "copy taken (id, text) from stdin", async (write) => {
    await write(Buffer.from("1\tone\n"));
    throw new Error("The disk broke.");
  });
  await expect(failing).rejects.toThrow("The disk broke.");
  expect(await taken()).toEqual([]);
});

test("what the database refuses is its own error, and nothing of it is kept", async () => {
  await target.query("alter table taken add check (id < 150000)");
  const query = "select i, repeat('x', 100) from generate_series(1, 400000) i";
  await expect(copy(query)).rejects.toThrow("violates check constraint");
  expect(await taken()).toEqual([]);
});

test("a connection that is cut ends the copy", async () => {
  const { rows } = await target.query<{ pid: number }>("select pg_backend_pid() as pid");
  const copying = copyIn(target, "copy taken (id, text) from stdin", async (write) => {
    await write(Buffer.from("1\tone\n"));
    await source.query("select pg_terminate_backend($1)", [rows[0]?.pid]);
    for (;;) await write(Buffer.from(`2\t${"x".repeat(1_000_000)}\n`));
  });
  await expect(copying).rejects.toThrow(/terminat|closed|EPIPE|ECONNRESET|lost/i);
});
