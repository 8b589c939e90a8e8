import pg from "pg";
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from "vitest";
import { copyOut } from "#kit/db/copy-out.ts";
import { inBriefOr } from "#tests/support/rounds.ts";
import { aTestDatabase, type TestDatabase } from "#tests/support/test-database.ts";

let database: TestDatabase;
let client: pg.Client;

beforeAll(async () => void (database = await aTestDatabase()));
afterAll(() => database.drop());
beforeEach(async () => {
  client = new pg.Client({ connectionString: database.ownerConnectionString });
  client.on("error", () => undefined); // cut on purpose below
  await client.connect();
});
afterEach(() => client.end());

const copy = (query: string) => `copy (${query}) to stdout (format csv)`;

/** Everything that is copied, in pieces: each is taken over, since its memory is used again. */
async function piecesOf(query: string): Promise<{ bytes: Buffer; lines: number }[]> {
  const pieces: { bytes: Buffer; lines: number }[] = [];
  await copyOut(client, copy(query), async (piece, lines) => {
    pieces.push({ bytes: Buffer.from(piece), lines });
    await new Promise((resume) => setImmediate(resume));
  });
  return pieces;
}

test("lines end with CRLF, and line ends inside values stay", async () => {
  const pieces = await piecesOf(
    String.raw`select * from (values (1, E'a\nb'), (2, E'c\r\n"d"'), (3, null)) as v`,
  );
  expect(pieces).toEqual([
    { bytes: Buffer.from('1,"a\nb"\r\n2,"c\r\n""d"""\r\n3,\r\n'), lines: 3 },
  ]);
});

test("no rows give no output", async () => {
  expect(await piecesOf("select 1 where false")).toEqual([]);
});

test("many lines arrive complete and in order, in pieces of about half a megabyte", async () => {
  const count = inBriefOr(300_000, 1_000_000);
  const pieces = await piecesOf(`select i from generate_series(1, ${count}) as i`);
  expect(pieces.reduce((total, piece) => total + piece.lines, 0)).toBe(count);
  expect(Math.max(...pieces.map(({ bytes }) => bytes.length))).toBeLessThan(1024 * 1024);
  const text = Buffer.concat(pieces.map(({ bytes }) => bytes)).toString();
  const expected = Array.from({ length: count }, (_, index) => `${index + 1}\r\n`).join("");
  expect(text === expected).toBe(true);
});

test("a line longer than a piece is a piece of its own size", async () => {
  const pieces = await piecesOf("select repeat('x', 1000000) from generate_series(1, 3)");
  const text = Buffer.concat(pieces.map(({ bytes }) => bytes)).toString();
  expect(text).toBe(`${"x".repeat(1_000_000)}\r\n`.repeat(3));
});

test.each([
  ["the only piece", "select 1", 1],
  ["the first of many", "select i from generate_series(1, 300000) as i", 1],
  ["the last of many", "select i from generate_series(1, 300000) as i", 5],
])("when %s cannot be taken the copy fails, and the process goes on", async (_, query, failing) => {
  let taken = 0;
  const copying = copyOut(client, copy(query), async () => {
    taken += 1;
    await new Promise((resume) => setImmediate(resume));
    if (taken === failing) throw new Error("no space left");
  });
  await expect(copying).rejects.toThrow("no space left");
  await new Promise((resume) => setImmediate(resume)); // never, if it waited for itself for ever
  expect(taken).toBe(failing);
});

test("a slow reader slows the database, and memory does not grow", async () => {
  const rows = inBriefOr(15_000, 40_000);
  const before = process.memoryUsage().rss;
  let [bytes, greatest] = [0, before];
  const query = copy(`select repeat('x', 10000) from generate_series(1, ${rows})`);
  await copyOut(client, query, async (piece) => {
    bytes += piece.length;
    greatest = Math.max(greatest, process.memoryUsage().rss);
    await new Promise((resume) => setTimeout(resume, 1));
  });
  expect(bytes).toBe(rows * 10_002);
  expect(greatest - before).toBeLessThan(100_000_000);
});

test("a failing statement reports why, and the connection stays usable", async () => {
  await expect(piecesOf("select 1/0")).rejects.toThrow("division by zero");
  const halfway = "select 1 / (500000 - i) from generate_series(1, 1000000) as i";
  await expect(piecesOf(halfway)).rejects.toThrow("division by zero");
  expect((await client.query("select 1 as one")).rows).toEqual([{ one: 1 }]);
});

test("a reader that fails on the last piece ends the copy with its error", async () => {
  const taking = copyOut(client, copy("select 1"), async () => {
    await new Promise((resume) => setTimeout(resume, 20)); // all is read by then
    throw new Error("The disk is full.");
  });
  await expect(taking).rejects.toThrow("The disk is full.");
  await new Promise((resume) => setImmediate(resume)); // the process goes on
});

test("a lost connection is reported", async () => {
  const other = new pg.Client({ connectionString: database.ownerConnectionString });
  await other.connect();
  const { rows } = await client.query("select pg_backend_pid() as pid");
  const taken = copyOut(client, copy("select generate_series(1, 100000000)"), async () => {
    await other.query("select pg_terminate_backend($1)", [rows[0].pid]);
  });
  await expect(taken).rejects.toThrow(/terminat/i);
  await other.end();
});
