import { sql } from "kysely";
import { type Day, formatDay } from "#kit/domain/day.ts";
import { invalid, refuseViolations } from "#kit/contract/refusal.ts";
import type { Db } from "#kit/db/database.ts";

/**
 * Run a statement that makes entries of the day at `path`. If the books are closed on that day, throws 422 at
 * `path` with the day through which they are closed. Source: book rule 8.
 */
export async function refuseClosedDay<Answer>(
  path: string,
  statement: Promise<Answer>,
): Promise<Answer> {
  return await refuseViolations(
    {
      entries_closed_day: (closed) => invalid(path, closed instanceof Error ? closed.message : ""),
    },
    statement,
  );
}

/** Throws 422 at `path` for a day on which the books are closed, if its entries are made today. Source: book rule 8. */
export async function refuseDayOfClosedBooks(
  tx: Db,
  networkId: number,
  { path, day }: { path: string; day: Day },
): Promise<void> {
  const { rows } = await sql<{ closedThrough: Day | null }>`
    select closed_through(${networkId})`.execute(tx);
  const closedThrough = rows[0]?.closedThrough ?? null;
  if (closedThrough !== null && day <= closedThrough)
    throw invalid(path, `The books are closed through ${formatDay(closedThrough)}.`);
}
