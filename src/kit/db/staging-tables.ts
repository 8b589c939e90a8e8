import { sql } from "kysely";
import type { Db } from "#kit/db/database.ts";

/** The tables that `create_staging_table` knows. rules/staging-tables.sql has their columns. */
export type StagingTable = "imported_rows" | "imported_matters" | "seeded_outcomes";

/**
 * Create a temporary table that lasts until the transaction ends. The owner creates it, because the serving role
 * may not create tables.
 */
export async function createStagingTable(tx: Db, table: StagingTable): Promise<void> {
  await sql`select create_staging_table(${table})`.execute(tx);
}

/** Update the planner's statistics of a staging table. */
export async function analyzeStagingTable(tx: Db, table: StagingTable): Promise<void> {
  await sql`select analyze_tables(array[${table}::text::regclass])`.execute(tx);
}
