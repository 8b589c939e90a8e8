import type pg from "pg";
import { test } from "vitest";
import { type Db, openDatabase, openPool } from "#db/database.ts";
import { aTestDatabase, type TestDatabase } from "#tests/support/test-database.ts";

/** Of the file, without a server: see app-test.ts for how these names are used. */
export let database: TestDatabase;
export let pool: pg.Pool;
export let db: Db;

/** `test` for a file whose tests share an empty, migrated database. */
export function databaseTest(settings: { connections?: number; isPipelined?: boolean } = {}) {
  return test.extend("db", { scope: "file", auto: true }, async ({}, { onCleanup }) => {
    database = await aTestDatabase();
    pool = openPool({ connectionString: database.connectionString, ...settings });
    db = openDatabase(pool);
    onCleanup(async () => {
      await pool.end();
      await database.drop();
    });
    return db;
  });
}
