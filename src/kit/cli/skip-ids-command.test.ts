import { Client } from "pg";
import { afterEach, beforeEach, expect, test } from "vitest";
import { Temporal } from "temporal-polyfill";
import type { Outcome } from "#kit/cli/command.ts";
import { skipIdsCommand } from "#kit/cli/skip-ids-command.ts";
import { aTestDatabase, type TestDatabase } from "#tests/support/test-database.ts";

let database: TestDatabase;
let client: Client;

beforeEach(async () => {
  database = await aTestDatabase();
  client = new Client({ connectionString: database.ownerConnectionString });
  await client.connect();
});
afterEach(async () => {
  await client.end();
  await database.drop();
});

async function skip(by: string, owner = database.ownerConnectionString): Promise<Outcome> {
  const work = skipIdsCommand.read({ by }, []);
  if (!("standalone" in work)) throw new Error("it opens its own database");
  const opened: (() => Promise<void>)[] = [];
  try {
    return await work.standalone({
      environment: {
        DATABASE_URL: database.connectionString,
        MIGRATE_DATABASE_URL: owner,
        APP_SECRET: "of no use to this command, which opens nothing",
      },
      now: () => Temporal.Now.instant(),
      progress: () => undefined,
      log: () => undefined,
      closeAfter: (close) => void opened.push(close),
    });
  } finally {
    for (const close of opened.toReversed()) await close();
  }
}

const next = async (table: string) =>
  (await client.query(`insert into ${table} default values returning id`)).rows;

test("new records get ids above those given since, also if none was given before that moment", async () => {
  for (const name of ["used", "unused"])
    await client.query(`create table ${name} (id bigint generated always as identity)`);
  await next("used");
  const { hasFailed, text } = await skip("500");
  expect([hasFailed, text]).toEqual([
    false,
    expect.stringMatching(/^New records start 500 ids higher, in \d+ sequences\.$/),
  ]);
  expect(await next("used")).toEqual([{ id: "502" }]);
  expect(await next("unused")).toEqual([{ id: "501" }]);
});

test("a sequence with too few ids left is named and not changed", async () => {
  for (const [name, last] of [
    ["nearly_full", 501],
    ["just_enough", 502],
  ] as const) {
    await client.query(
      `create table ${name} (id bigint generated always as identity (maxvalue ${last}))`,
    );
    await next(name);
  }
  const { hasFailed, text, json } = await skip("500");
  expect([hasFailed, json]).toEqual([
    true,
    expect.objectContaining({ left: ["nearly_full_id_seq"] }),
  ]);
  expect(text).toMatch(/^nearly_full_id_seq: too few ids are left, /m);
  expect(await next("nearly_full")).toEqual([{ id: "2" }]);
  expect(await next("just_enough")).toEqual([{ id: "502" }]);
});

test("the serving role is told to use the owner's address", async () => {
  await expect(skip("500", database.connectionString)).rejects.toThrow(
    "Only the owner of the tables may skip ids. Give its address as MIGRATE_DATABASE_URL.",
  );
});
