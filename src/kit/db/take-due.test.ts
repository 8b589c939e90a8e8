import { sql } from "kysely";
import { expect } from "vitest";
import { inTransaction } from "#kit/db/transaction.ts";
import { takeDue } from "#kit/db/take-due.ts";
import { databaseTest, db } from "#tests/support/database-test.ts";

const test = databaseTest({ connections: 4, asOwner: true });

test.beforeEach(async () => {
  await sql`drop table if exists letters`.execute(db);
  await sql`create table letters (network_id int, id int, due_at timestamptz, tries int default 0)`.execute(
    db,
  );
  await sql`
    insert into letters select 1, n, now() - interval '1 hour' + make_interval(mins => n)
    from generate_series(1, 6) n`.execute(db);
});

interface Letter {
  id: number;
  tries: number;
}

const letters = {
  table: "letters",
  at: "due_at",
  counter: "tries",
  where: sql`network_id = 1`,
  pause: sql`interval '10 minutes'`,
  returning: sql`taken.id, taken.tries`,
};

const idsOf = (taken: Letter[]) => taken.map(({ id }) => id).toSorted((a, b) => a - b);

test("due rows are taken once, longest due first, and again only after their pause", async () => {
  expect(idsOf(await takeDue<Letter>(db, letters, { limit: 2 }))).toEqual([1, 2]);
  expect(idsOf(await takeDue<Letter>(db, letters, { limit: 20 }))).toEqual([3, 4, 5, 6]);
  expect(await takeDue<Letter>(db, letters, { limit: 20 })).toEqual([]);
  // A worker that was killed has noted nothing.
  const later = sql`now() + interval '10 minutes'`;
  const again = await takeDue<Letter>(db, letters, { limit: 20, now: later });
  expect(again.map(({ tries }) => tries)).toEqual([2, 2, 2, 2, 2, 2]);
});

test("a row that another worker is taking is skipped without waiting", async () => {
  await inTransaction(db, async (tx) => {
    expect(idsOf(await takeDue<Letter>(tx, letters, { limit: 3 }))).toEqual([1, 2, 3]);
    expect(idsOf(await takeDue<Letter>(db, letters, { limit: 20 }))).toEqual([4, 5, 6]);
  });
});

test("a row without a match in the joined table is left for others", async () => {
  const join = sql`join (select 2 as id) as stamped on stamped.id = due.id`;
  expect(idsOf(await takeDue<Letter>(db, { ...letters, join }, { limit: 20 }))).toEqual([2]);
  expect(idsOf(await takeDue<Letter>(db, letters, { limit: 20 }))).toEqual([1, 3, 4, 5, 6]);
});
