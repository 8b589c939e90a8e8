import { sql } from "kysely";
import type { Admin } from "#kit/domain/actor.ts";
import type { PlainDate } from "#kit/domain/calendar.ts";
import { invalid } from "#kit/contract/refusal.ts";
import type { Db } from "#kit/db/database.ts";
import { attorneyRows } from "#panel/attorneys.rows.ts";
import { refuseUnknownAttorneys } from "#panel/known-attorney.ts";
import type { AttorneyFilters, ChosenAttorneys } from "#panel/shapes.ts";
import { isListed, knownNames } from "#kit/list/rows-of.ts";

/** The most attorneys that one request can choose by the list's filters. */
const maxByFilters = 10_000;

/**
 * The distinct ids of the chosen attorneys, in order. Filters choose what the list shows now. Throws 404 if an attorney,
 * or a filter's plan or firm, is not in the network; 422 if the filters match no attorneys or too many.
 */
export async function chosenAttorneyIds(
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
    order by a.id limit ${maxByFilters + 1}`.execute(tx);
  if (rows.length === 0)
    throw invalid("filters", "No attorneys match these filters now. Change the filters.");
  if (rows.length > maxByFilters)
    throw invalid(
      "filters",
      "More than 10,000 attorneys match these filters. Narrow the filters to 10,000 or fewer.",
    );
  return rows.map(({ id }) => id);
}
