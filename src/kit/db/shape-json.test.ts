import { sql } from "kysely";
import { expect } from "vitest";
import { z } from "zod";
import { Day, Id, Money, Timestamp } from "#kit/contract/fields.ts";
import { selectJsonOrThrow } from "#kit/db/json-query.ts";
import { type JsonSql, shapeJson, tableJson } from "#kit/db/shape-json.ts";
import { databaseTest, db } from "#tests/support/database-test.ts";

const test = databaseTest({ connections: 1 });

const Known = z.object({
  createdAt: Timestamp,
  id: Id,
  amount: Money.nullable(),
  dueOn: Day,
  isLate: z.boolean(),
});

const debit = sql`(
  select 7 as id, 1250 as amount_cents, '2026-03-31'::date as due_on, '2026-03-01Z'::timestamptz as created_at) as d`;

const read = async (json: JsonSql<unknown>) =>
  (await selectJsonOrThrow(db, json, { from: debit })).text;

test("fields default to the table's columns, as the contract writes them, in its order", async () => {
  const known = tableJson(Known, "debits as d", { isLate: sql`d.due_on < '2026-04-01'` });
  expect(await read(known)).toBe(
    '{"createdAt" : "2026-03-01T00:00:00.000Z", "id" : 7, "amount" : "12.50", "dueOn" : "2026-03-31", "isLate" : true}',
  );
});

test("a given field replaces the column", async () => {
  const known = tableJson(Known, "debits as d", { isLate: sql`true`, id: sql`8` });
  expect(JSON.parse(await read(known))).toMatchObject({ id: 8, isLate: true });
});

test("the compiler refuses a field that is missing, undeclared, of another type or nullable", () => {
  const other = { isLate: sql`true`, other: sql`1` };
  expect([
    // @ts-expect-error -- no column is called so
    tableJson(Known, "debits as d", {}),
    // @ts-expect-error -- the contract has no such field
    tableJson(Known, "debits as d", other),
    // @ts-expect-error -- the column is null for most
    tableJson(z.object({ leftOn: Day }), "attorneys as a", {}),
    // @ts-expect-error -- the column has other words too
    tableJson(z.object({ status: z.enum(["pending"]) }), "receivedChecks as c", {}),
    // @ts-expect-error -- JSON is built by a shape
    shapeJson(z.object({ of: Known }), { of: sql`'{}'::json` }),
  ]).toHaveLength(5);
});
