import { sql } from "kysely";
import { expect } from "vitest";
import { actorOfToken } from "#kit/http/session.ts";
import { type MadeNetwork } from "#main/demo/records/networks.ts";
import { makeAdmin, makeNetwork } from "#tests/support/records/networks.ts";
import { databaseTest, db } from "#tests/support/database-test.ts";

let network: MadeNetwork;

const test = databaseTest({ connections: 8 });
test.beforeAll(async () => {
  network = await makeNetwork(db);
});

const aSession = async (token: string, userId: number) => {
  await sql`insert into sessions (user_id, token, expires_at)
    values (${userId}, ${token}, now() + interval '1 hour')`.execute(db);
  return token;
};

test("many simultaneous lookups each get their own user", async () => {
  const users: number[] = [];
  for (const index of Array.from({ length: 40 }).keys()) {
    users.push(await makeAdmin(db, network));
    await aSession(`own-${index}`, users[index] ?? 0);
  }
  const tokens = users.flatMap((_, index) => [`own-${index}`, `unknown-${index}`, `own-${index}`]);
  const found = await Promise.all(tokens.map((token) => actorOfToken(db, token)));
  expect(found.map((actor) => actor?.userId ?? null)).toEqual(
    users.flatMap((user) => [user, null, user]),
  );
  expect(Object.keys(found[0] ?? {})).not.toContain("token");
});

test("an ended session has no user, even for lookups while others are running", async () => {
  const token = await aSession("ending", network.admin.userId);
  const ending = await db.startTransaction().execute();
  await sql`lock table sessions in access exclusive mode`.execute(ending);
  const before = Array.from({ length: 6 }, () => actorOfToken(db, token));
  await waitingForLocks();
  await sql`delete from sessions where token = ${token}`.execute(ending);
  await ending.commit().execute();
  const after = Array.from({ length: 6 }, () => actorOfToken(db, token));
  expect(await Promise.all(after)).toEqual(after.map(() => null));
  await Promise.all(before); // their answers do not matter
});

test("a failed lookup is reported to its callers, and the next one asks again", async () => {
  const token = await aSession("lasting", network.admin.userId);
  const held = await db.startTransaction().execute();
  await sql`lock table sessions in access exclusive mode`.execute(held);
  const said = actorOfToken(db, token).catch(String); // heard from the first, since it may come soon
  await waitingForLocks();
  await sql`select pg_cancel_backend(pid) from pg_stat_activity
    where datname = current_database() and wait_event_type = 'Lock'`.execute(held);
  expect(await said).toMatch("canceling statement");
  await held.rollback().execute();
  expect(await actorOfToken(db, token)).toMatchObject({ userId: network.admin.userId });
});

/** Until some connection of this test's database waits for a lock. */
async function waitingForLocks(): Promise<void> {
  for (;;) {
    const { rows } = await sql<{ waits: boolean }>`
      select exists (select from pg_stat_activity
        where datname = current_database() and wait_event_type = 'Lock') as waits`.execute(db);
    if (rows[0]?.waits) return;
  }
}
