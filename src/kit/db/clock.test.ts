import { sql } from "kysely";
import { expect } from "vitest";
import type { Db } from "#kit/db/database.ts";
import { inTransaction } from "#kit/db/transaction.ts";
import { makePlan } from "#main/demo/records/dues.ts";
import { makeNetwork } from "#tests/support/records/networks.ts";
import { databaseTest, db, pool } from "#tests/support/database-test.ts";

/* The clock that the database reads. A transaction turns it for itself, and cannot turn it for another one. */

const test = databaseTest();
const past = "2025-03-01T14:30:00Z";

const turned = (tx: Db) =>
  sql`select set_config('referral.clock', pg_current_xact_id() || ${` ${past}`}, true)`.execute(tx);

/** "now" where a plan that is made in this transaction has its instant, else the instant that it has. */
async function instantOfPlan(tx: Db): Promise<string> {
  const { id } = await makePlan(tx, await makeNetwork(tx));
  const { rows } = await sql<{ at: string }>`
    select case when created_at = now() then 'now' else iso(created_at) end as at
    from plans where id = ${id}`.execute(tx);
  return rows[0]?.at ?? "";
}

test("a transaction writes its start time, or the instant to which it set the clock", async () => {
  await inTransaction(db, async (tx) => {
    expect(await instantOfPlan(tx)).toBe("now");
    await turned(tx);
    expect(await instantOfPlan(tx)).toBe("2025-03-01T14:30:00.000Z");
  });
});

test("the next transaction on the same connection writes its own start time", async () => {
  await db.connection().execute(async (connection) => {
    await inTransaction(connection, turned);
    await inTransaction(connection, async (tx) => expect(await instantOfPlan(tx)).toBe("now"));
  });
});

test("a session's setting does not change the clock", async () => {
  const client = await pool.connect();
  try {
    for (const kept of [past, `1 ${past}`, "nonsense", `nonsense ${past}`]) {
      await client.query("select set_config('referral.clock', $1, false)", [kept]);
      const { rows } = await client.query<{ same: boolean }>("select clock() = now() as same");
      expect(rows).toEqual([{ same: true }]);
    }
  } finally {
    await client.query("reset referral.clock");
    client.release();
  }
});
