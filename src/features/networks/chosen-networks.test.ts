import type pg from "pg";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type Db, openDatabase, openPool } from "#db/database.ts";
import { chooseNetwork, chooseNetworks } from "#features/networks/chosen-networks.ts";
import { aNetwork } from "#tests/support/people.ts";
import { aTestDatabase, type TestDatabase } from "#tests/support/test-database.ts";

let database: TestDatabase;
let pool: pg.Pool;
let db: Db;

beforeAll(async () => {
  database = await aTestDatabase();
  pool = openPool({ connectionString: database.connectionString });
  db = openDatabase(pool);
});
afterAll(async () => {
  await pool.end();
  await database.drop();
});

test("without any network a command that needs one says how to make it", async () => {
  await expect(chooseNetwork(db, undefined)).rejects.toThrow("make one with create-network");
  expect(await chooseNetworks(db, undefined)).toEqual([]);
});

test("a network is chosen by id or by name; unnamed, the first one or all", async () => {
  const harbor = await aNetwork(db, { name: "Harbor County" });
  const lakeside = await aNetwork(db, { name: "Lakeside" });
  expect(await chooseNetwork(db, undefined)).toMatchObject({ id: harbor.id });
  expect(await chooseNetwork(db, String(lakeside.id))).toMatchObject({ name: "Lakeside" });
  expect(await chooseNetwork(db, "LAKESIDE")).toMatchObject({ id: lakeside.id });
  expect(await chooseNetworks(db, "harbor county")).toMatchObject([{ id: harbor.id }]);
  expect(await chooseNetworks(db, undefined)).toHaveLength(2);
  await expect(chooseNetwork(db, "Lake")).rejects.toThrow(
    `There is no network "Lake". Known networks: ${harbor.id} Harbor County; ${lakeside.id} Lakeside.`,
  );
});

test("a name that several networks have must give way to an id", async () => {
  const one = await aNetwork(db, { name: "Twin" });
  const other = await aNetwork(db, { name: "Twin" });
  const sentence = `Several networks are called "Twin": name one by its id (${one.id}, ${other.id}).`;
  await expect(chooseNetworks(db, "Twin")).rejects.toThrow(sentence);
});
