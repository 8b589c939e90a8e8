import { sql } from "kysely";
import type { Db } from "#db/database.ts";

/**
 * More transactions than this in a second are people at work: a screen that watches its report and the
 * processes' own housekeeping come to a dozen or two.
 */
const busyRate = 60;
const lookEveryMs = 1_000;

/** Whether others are at work in the database, so that a large report gives way to them. */
export interface DatabaseLoad {
  isDatabaseBusy: () => boolean;
}

/** Nobody is: for commands, whose caller waits, and for the time being. */
export const neverBusy: DatabaseLoad = { isDatabaseBusy: () => false };

/** Look every second, until closed. Before anything is known somebody may be at work. */
export function watchDatabaseLoad(db: Db): DatabaseLoad & { close(): void } {
  let areAtWork = true;
  let last: { transactions: number; at: number } | null = null;
  const look = async () => {
    const transactions = await countTransactions(db);
    const at = performance.now();
    if (last) areAtWork = transactions - last.transactions > (busyRate * (at - last.at)) / 1000;
    last = { transactions, at };
  };
  let looking: Promise<void> | null = null;
  const timer = setInterval(() => {
    looking ??= look()
      .catch(() => undefined) // the database is away: what is being prepared says so
      .finally(() => (looking = null));
  }, lookEveryMs);
  return { isDatabaseBusy: () => areAtWork, close: () => clearInterval(timer) };
}

async function countTransactions(db: Db): Promise<number> {
  const { rows } = await sql<{ transactions: number }>`
    select xact_commit + xact_rollback as transactions from pg_stat_database
    where datname = current_database()`.execute(db);
  return rows[0]?.transactions ?? 0;
}
