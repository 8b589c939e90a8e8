import { sql } from "kysely";
import type { Db } from "#db/database.ts";
import type { Tables } from "#db/schema.ts";
import { inTransaction } from "#db/transaction.ts";

/*
 * What was put in a moment ago, or is the first of its network, is not in the database's statistics:
 * it expects a single row, and would read the other table once for each of twenty thousand. So work
 * on whole sets forbids joins one by one, and says afterwards what it has filled.
 */

/** As `set local` has it. What cannot be joined otherwise still is; nothing is compiled for its sake. */
export const setPlanningSettings = "set local enable_nestloop = off; set local jit = off";

/** Until the transaction ends, sets are joined as sets: hashed or sorted, never one row at a time. */
export async function planForSets(tx: Db): Promise<void> {
  await sql.raw(setPlanningSettings).execute(tx);
}

/** Read in a transaction in which sets are joined as sets: the given one, or one of its own. */
export async function withSetPlanning<Answer>(
  db: Db,
  read: (tx: Db) => Promise<Answer>,
): Promise<Answer> {
  if (!db.isTransaction)
    return await inTransaction(db, async (tx) => await withSetPlanning(tx, read));
  await planForSets(db);
  return await read(db);
}

/** From so many new rows on: what fewer change, the database finds out by itself in time. */
const bulk = 1_000;

/**
 * Have the database look at tables into which so many rows were put, before anybody's next statement
 * is planned. A table that somebody else is looking at is left to them.
 */
export async function analyzeAfter(
  db: Db,
  rowsAdded: number,
  tables: (keyof Tables)[],
): Promise<void> {
  if (rowsAdded < bulk) return;
  await sql`analyze (skip_locked) ${sql.join(tables.map((table) => sql.table(table)))}`.execute(db);
}
