import { sql } from "kysely";
import type { Admin } from "#kit/domain/actor.ts";
import type { PlainDate } from "#kit/domain/calendar.ts";
import { invalid } from "#kit/contract/refusal.ts";
import type { Db } from "#kit/db/database.ts";
import { attorneyRows } from "#panel/attorneys.rows.ts";
import { refuseUnknownAttorneys } from "#panel/known-attorney.ts";
import type { AttorneyFilters, ChosenAttorneys } from "#panel/shapes.ts";
import { isListed, knownNames } from "#kit/list/rows-of.ts";

/** At most so many attorneys are chosen by the filters of their list. */
const mostByFilters = 10_000;

/**
 * The ids of attorneys for whom something is done, in order, each once. Those that filters choose are the rows of
 * the list, as it is now. Throws 404 where an attorney, or a filter's plan or firm, is not of the network; 422 where
 * filters choose nobody, or too many.
 */
export async function idsOfChosen(
  tx: Db,
  admin: Admin,
  { attorney_ids = [], filters }: ChosenAttorneys,
  today: PlainDate,
): Promise<number[]> {
  if (filters) return await idsByFilters(tx, admin, filters, today);
  return await refuseUnknownAttorneys(tx, admin, attorney_ids);
}

async function idsByFilters(
  tx: Db,
  admin: Admin,
  filters: AttorneyFilters,
  today: PlainDate,
): Promise<number[]> {
  await knownNames(tx, attorneyRows, admin, filters);
  const context = { ...admin, today: today.toString() };
  const { rows } = await sql<{ id: number }>`
    select a.id from attorneys a where ${isListed(attorneyRows, context, filters)}
    order by a.id limit ${mostByFilters + 1}`.execute(tx);
  if (rows.length === 0) throw invalid("filters", "No attorneys match these filters any more.");
  if (rows.length > mostByFilters)
    throw invalid(
      "filters",
      "More than 10,000 attorneys match these filters: choose them in smaller parts.",
    );
  return rows.map(({ id }) => id);
}
