import { sql } from "kysely";
import { afterAll, beforeEach, expect } from "vitest";
import { notifyOnCommit, type ChangeHint, onChanges } from "#kit/db/changes.ts";
import { type Tx } from "#kit/db/database.ts";
import { isLostConnection, OutcomeUnknown } from "#kit/db/lost-connection.ts";
import { inTransaction } from "#kit/db/transaction.ts";
import { type MadeNetwork } from "#main/demo/records/networks.ts";
import { makeNetwork } from "#tests/support/records/networks.ts";
import { databaseTest, db } from "#tests/support/database-test.ts";

let one: MadeNetwork;
let other: MadeNetwork;
const heard: ChangeHint[] = [];
let stopListening: () => void;

const test = databaseTest({ connections: 4, asOwner: true });
test.beforeAll(async () => {
  stopListening = onChanges(db, (changes) => heard.push(...changes));
});
afterAll(async () => {
  stopListening();
});
beforeEach(async () => {
  [one, other] = [await makeNetwork(db), await makeNetwork(db)];
  heard.length = 0;
});

const rename = (tx: Tx, network: MadeNetwork, name: string) =>
  tx.updateTable("networks").set({ name }).where("id", "=", network.id).execute();

const namesOf = async () => {
  const rows = await db
    .selectFrom("networks")
    .select("name")
    .where("id", "in", [one.id, other.id])
    .orderBy("id")
    .execute();
  return rows.map((row) => row.name);
};

/** A point that so many must reach before any goes on; later comers pass. */
function meeting(size: number): () => Promise<void> {
  let waiting: (() => void)[] = [];
  let isOver = false;
  return async () => {
    if (isOver) return;
    await new Promise<void>((resolve) => {
      waiting.push(resolve);
      if (waiting.length < size) return;
      isOver = true;
      for (const go of waiting) go();
      waiting = [];
    });
  };
}

test("two changes that deadlock both succeed in the end, each announced once", async () => {
  const bothHoldOne = meeting(2);
  let attempts = 0;
  const change = (first: MadeNetwork, second: MadeNetwork, name: string) =>
    inTransaction(db, async (tx) => {
      attempts += 1;
      await rename(tx, first, name);
      notifyOnCommit(tx, first.id, null);
      await bothHoldOne();
      await rename(tx, second, name);
    });
  await Promise.all([change(one, other, "A"), change(other, one, "B")]);
  expect(attempts).toBeGreaterThan(2); // PostgreSQL let one through, the other began again
  const [first, second] = await namesOf();
  expect(first).toBe(second);
  expect(heard.map(({ networkId }) => networkId).toSorted((a, b) => a - b)).toEqual([
    one.id,
    other.id,
  ]);
});

test("a change inside a transaction is part of it: both happen or neither, and both are announced", async () => {
  const both = (fails: boolean) =>
    inTransaction(db, async (tx) => {
      await inTransaction(tx, async (inner) => {
        await rename(inner, one, "Inner");
        notifyOnCommit(inner, one.id, null);
      });
      await rename(tx, other, "Outer");
      if (fails) throw new Error("Not this time.");
    });
  await expect(both(true)).rejects.toThrow("Not this time.");
  expect(await namesOf()).toEqual([one.name, other.name]);
  await both(false);
  expect(await namesOf()).toEqual(["Inner", "Outer"]);
  await expect.poll(() => heard.map(({ networkId }) => networkId)).toEqual([one.id]);
});

test("a change that never succeeds is given up and leaves nothing", async () => {
  let attempts = 0;
  const hopeless = inTransaction(db, async (tx) => {
    attempts += 1;
    await rename(tx, one, "Half done");
    notifyOnCommit(tx, one.id, null);
    await sql`do $$ begin raise exception 'once more' using errcode = 'serialization_failure'; end $$`.execute(
      tx,
    );
  });
  await expect(hopeless).rejects.toMatchObject({ code: "40001" });
  expect(attempts).toBe(4);
  expect(await namesOf()).toEqual([one.name, other.name]);
  expect(heard).toEqual([]);
});

test("a change that fails for its own reason is not retried or announced", async () => {
  let attempts = 0;
  const failing = inTransaction(db, async (tx) => {
    attempts += 1;
    await rename(tx, one, "Half done");
    notifyOnCommit(tx, one.id, null);
    throw new Error("No.");
  });
  await expect(failing).rejects.toThrow("No.");
  expect(attempts).toBe(1);
  expect(await namesOf()).toEqual([one.name, other.name]);
  expect(heard).toEqual([]);
});

test("the outcome of a change is unknown if the database goes away during the commit", async () => {
  const cutOff = inTransaction(db, async (tx) => {
    await rename(tx, one, "Perhaps");
    notifyOnCommit(tx, one.id, null);
    // Its own connection, as a deferred constraint: PostgreSQL ends it in the middle of the commit.
    await sql`create function end_me() returns trigger language plpgsql
      as $$ begin perform pg_terminate_backend(pg_backend_pid()); return null; end $$`.execute(tx);
    await sql`create table commits (id integer)`.execute(tx);
    await sql`create constraint trigger end_me after insert on commits
      deferrable initially deferred for each row execute function end_me()`.execute(tx);
    await sql`insert into commits values (1)`.execute(tx);
  });
  await expect(cutOff).rejects.toThrow(OutcomeUnknown);
  expect(heard).toEqual([]);
});

test("a database that goes away before the commit is reported", async () => {
  const cutOff = inTransaction(db, async (tx) => {
    await sql`select pg_terminate_backend(pg_backend_pid())`.execute(tx);
  });
  const problem: unknown = await cutOff.catch((thrown: unknown) => thrown);
  expect(problem).not.toBeInstanceOf(OutcomeUnknown);
  expect(isLostConnection(problem)).toBe(true);
});

test("a change is announced once, after it can be seen", async () => {
  const seen: Promise<string[]>[] = [];
  const stop = onChanges(db, () => {
    seen.push(namesOf());
  });
  await inTransaction(db, async (tx) => {
    await rename(tx, one, "New");
    notifyOnCommit(tx, one.id, 7);
    notifyOnCommit(tx, one.id, 7);
    expect(heard).toEqual([]);
  });
  stop();
  expect(heard).toEqual([{ networkId: one.id, attorneyId: 7, topic: "subscriptions" }]);
  expect(await Promise.all(seen)).toEqual([["New", other.name]]);
});
