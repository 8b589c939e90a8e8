import * as fc from "fast-check";
import { sql } from "kysely";
import { expect } from "vitest";
import { jsonQuery } from "#kit/db/json-query.ts";
import { prepared } from "#kit/db/prepared-statements.ts";
import { databaseTest, db } from "#tests/support/database-test.ts";

const test = databaseTest({ connections: 1 });

const piecesOf = async (body: string | null) =>
  (await jsonQuery(db, sql`select ${body}::text as body`))?.pieces;

test("a short answer is one piece; without a row or value there is none", async () => {
  expect(await piecesOf('{"a":1}')).toEqual(['{"a":1}']);
  expect(await piecesOf("a".repeat(262_144))).toHaveLength(1);
  expect(await piecesOf(null)).toBeUndefined();
  expect(await jsonQuery(db, sql`select 'a' as body where false`)).toBeNull();
});

test("a long answer comes in pieces of at most 64 kB, and no letter is split", async () => {
  const letters = fc.string({
    unit: fc.constantFrom("a", "é", "漢", "🎓"),
    minLength: 1,
    maxLength: 9,
  });
  await fc.assert(
    fc.asyncProperty(letters, async (some) => {
      const body = some.repeat(Math.ceil(300_000 / Buffer.byteLength(some)));
      const pieces = (await piecesOf(body)) ?? [];
      expect(pieces.length).toBeGreaterThan(4);
      expect(pieces.join("") === body).toBe(true);
      for (const piece of pieces) expect(Buffer.byteLength(piece)).toBeLessThanOrEqual(65_536);
    }),
    { numRuns: 20 },
  );
});

test("a connection prepares the marked statements", async () => {
  await jsonQuery(db, sql`${prepared}select ${"kept"}::text as body`);
  const { rows } = await sql<{ statement: string }>`
    select statement from pg_prepared_statements`.execute(db);
  expect(rows.map(({ statement }) => statement)).toEqual([
    expect.stringMatching(/in_pieces[\s\S]*select \$1::text as body/),
  ]);
});
