import { sql } from "kysely";
import type { Db } from "#kit/db/database.ts";

/** The tables that `create_staging_table` knows: rules/staging-tables.sql has their columns. */
export type StagingTable = "imported_rows" | "imported_matters" | "seeded_outcomes";

/**
 * Have a temporary table made, which is there until the transaction ends. It is the owner's: who serves requests
 * makes none of its own.
 */
export async function createStagingTable(tx: Db, table: StagingTable): Promise<void> {
  await sql`select create_staging_table(${table})`.execute(tx);
}

/** Tell the planner what has been put into one. */
export async function analyzeStagingTable(tx: Db, table: StagingTable): Promise<void> {
  await sql`select analyze_tables(array[${table}::text::regclass])`.execute(tx);
}
