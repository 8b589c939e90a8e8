import { sql } from "kysely";
import type { Db } from "#kit/db/database.ts";
import type { Tables } from "#kit/db/schema.ts";
import { inTransaction } from "#kit/db/transaction.ts";

/*
 * Rows that were just inserted, or are the first of their network, are not in the planner's statistics. It expects
 * a single row, and a nested loop would read the other table once for each of twenty thousand. So bulk queries
 * disable nested loops, and bulk inserts analyze their tables afterwards.
 */

/** Joins that need a nested loop still get one. JIT compilation is off, since it takes longer than it saves. */
export const bulkPlannerSettings = "set local enable_nestloop = off; set local jit = off";

/** Until the transaction ends, joins use a hash or a sort, not a nested loop. */
export async function disableNestedLoops(tx: Db): Promise<void> {
  await sql.raw(bulkPlannerSettings).execute(tx);
}

/** Read in a transaction without nested loops: the given one, or a new one. */
export async function withoutNestedLoops<Answer>(
  db: Db,
  read: (tx: Db) => Promise<Answer>,
): Promise<Answer> {
  if (!db.isTransaction)
    return await inTransaction(db, async (tx) => await withoutNestedLoops(tx, read));
  await disableNestedLoops(db);
  return await read(db);
}

/** The least number of new rows. For fewer, autovacuum analyzes soon enough. */
const minBulkRows = 1_000;

/**
 * Update the planner's statistics of tables after a bulk insert, before the next statement is planned. A table that
 * another session is analyzing is skipped.
 */
export async function analyzeAfterBulkInsert(
  db: Db,
  rowsAdded: number,
  tables: (keyof Tables)[],
): Promise<void> {
  if (rowsAdded < minBulkRows) return;
  await sql`select analyze_tables(${tables.map(nameInSql)}::text[]::regclass[])`.execute(db);
}

/**
 * Call before inserting many rows that refer to new rows of this transaction. Analyzes the table that they refer
 * to, unless it has enough other rows, and keeps other sessions from analyzing it until the commit. Debits and
 * referrals do this automatically for their entries (rules/staging-tables.sql, docs/decisions/087).
 */
export async function analyzeReferred(
  tx: Db,
  rowsAdded: number,
  table: keyof Tables,
): Promise<void> {
  if (rowsAdded < minBulkRows) return;
  await sql`select analyze_referred(${nameInSql(table)}::regclass, ${rowsAdded})`.execute(tx);
}

const nameInSql = (table: keyof Tables) => table.replaceAll(/[A-Z]/g, "_$&").toLowerCase();
