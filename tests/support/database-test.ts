import type pg from "pg";
import { test } from "vitest";
import { type Db, openDatabase, openPool } from "#kit/db/database.ts";
import { aTestDatabase, type TestDatabase } from "#tests/support/test-database.ts";

/** The file's database, without a server: see app-test.ts for how these names are used. */
export let database: TestDatabase;
export let pool: pg.Pool;
export let db: Db;

/** `test` for a file whose tests share an empty, migrated database; as its owner they may alter tables. */
export function databaseTest({
  asOwner = false,
  ...settings
}: { connections?: number; isPipelined?: boolean; asOwner?: boolean } = {}) {
  return test.extend("db", { scope: "file", auto: true }, async ({}, { onCleanup }) => {
    database = await aTestDatabase();
    const { connectionString, ownerConnectionString } = database;
    pool = openPool({
      connectionString: asOwner ? ownerConnectionString : connectionString,
      ...settings,
    });
    db = openDatabase(pool);
    onCleanup(async () => {
      await pool.end();
      await database.drop();
    });
    return db;
  });
}
