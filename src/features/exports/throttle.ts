import { sql } from "kysely";
import type { Db } from "#db/database.ts";

/**
 * More transactions a second than this mean that people use the product: a screen that watches its
 * export and the recurring jobs come to a dozen or two.
 */
const busyRate = 60;
const measureEveryMs = 1_000;

/** Whether the database is busy with other work, so that a large export slows down. */
export interface DatabaseLoad {
  isDatabaseBusy: () => boolean;
}

/** For commands, whose caller waits, and for tests. */
export const neverBusy: DatabaseLoad = { isDatabaseBusy: () => false };

/** Measure every second, until closed. Busy until the first measurement. */
export function watchDatabaseLoad(db: Db): DatabaseLoad & { close(): void } {
  let isBusy = true;
  let last: { transactions: number; at: number } | null = null;
  const measure = async () => {
    const transactions = await countTransactions(db);
    const at = performance.now();
    if (last) isBusy = transactions - last.transactions > (busyRate * (at - last.at)) / 1000;
    last = { transactions, at };
  };
  let measuring: Promise<void> | null = null;
  const timer = setInterval(() => {
    measuring ??= measure()
      .catch(() => undefined) // the database is away: the export being prepared fails with the reason
      .finally(() => (measuring = null));
  }, measureEveryMs);
  return { isDatabaseBusy: () => isBusy, close: () => clearInterval(timer) };
}

async function countTransactions(db: Db): Promise<number> {
  const { rows } = await sql<{ transactions: number }>`
    select xact_commit + xact_rollback as transactions from pg_stat_database
    where datname = current_database()`.execute(db);
  return rows[0]?.transactions ?? 0;
}
