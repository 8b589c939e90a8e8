import { sql } from "kysely";
import { expect, onTestFinished } from "vitest";
import { openDatabase, openPool } from "#kit/db/database.ts";
import { tablesOfRange } from "#kit/db/id-range.ts";
import { migrate } from "#kit/db/migrate.ts";
import { createAdmin, createNetwork } from "#access/networks/networks.ts";
import { databaseMetrics } from "#main/metrics.ts";
import { databaseTest, db } from "#tests/support/database-test.ts";
import { aTestDatabase } from "#tests/support/test-database.ts";

const test = databaseTest({ connections: 2 });

async function aDatabase() {
  const database = await aTestDatabase();
  onTestFinished(() => database.drop());
  const pool = openPool({ connectionString: database.ownerConnectionString, connections: 2 });
  onTestFinished(() => pool.end());
  const made = openDatabase(pool);
  const aNetwork = () =>
    createNetwork(made, { name: "New", timeZone: "UTC", permitsMatterEditing: false });
  const keep = (first: number, last: number, address = database.ownerConnectionString) =>
    migrate(address, { idRange: { first, last } });
  return { database, pool, made, aNetwork, keep };
}

test("every network table whose rows are known only by id takes its ids from the range", async () => {
  const { rows } = await sql<{ name: string }>`
    select c.relname as name from pg_index x join pg_class c on c.oid = x.indrelid
    join pg_attribute a on a.attrelid = c.oid and a.attnum = x.indkey[0] and a.attidentity <> ''
    where x.indisprimary and x.indnkeyatts = 1 and (c.relname = 'networks' or exists (
      select from pg_attribute n where n.attrelid = c.oid and n.attname = 'network_id'))`.execute(
    db,
  );
  expect(rows.map(({ name }) => name).toSorted()).toEqual(tablesOfRange.toSorted());
});

test("a new database only gives ids of its range, and reports how much is used", async () => {
  const { pool, made, aNetwork, keep } = await aDatabase();
  await keep(2_000_001, 2_000_011);
  const network = await aNetwork();
  const admin = { networkId: network, name: "Dana Whitfield", email: "d@example.org" };
  expect([network, await createAdmin(made, { ...admin, password: null })]).toEqual([
    2_000_001, 2_000_001,
  ]);
  await aNetwork();
  expect(await databaseMetrics(pool)()).toMatch(/^id_range_used 0\.1$/m);
});

test("a database keeps its range", async () => {
  const { database, keep } = await aDatabase();
  await expect(keep(1, 2, database.connectionString)).rejects.toThrow(
    /which serves requests, may not change it/,
  );
  await keep(1, 2);
  await keep(1, 2, database.connectionString); // as every process that serves does when it starts
  await expect(keep(1, 3)).rejects.toThrow(
    "ID_RANGE is 1-3, but this database already has 1-2, which cannot be changed.",
  );
});

test("a database refuses a range that contains its ids, and gives no id outside its range", async () => {
  const { made, aNetwork, keep } = await aDatabase();
  await sql`insert into networks (name, time_zone) values ('Old', 'UTC')`.execute(made);
  await expect(keep(1, 9)).rejects.toThrow(
    "such as 1 in networks. Choose a range without ids of this database.",
  );
  await keep(11, 12);
  expect([await aNetwork(), await aNetwork()]).toEqual([11, 12]);
  await expect(aNetwork()).rejects.toMatchObject({ code: "2200H" });
});
