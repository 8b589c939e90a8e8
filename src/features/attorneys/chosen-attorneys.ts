import { sql } from "kysely";
import type { Admin } from "#domain/actor.ts";
import type { PlainDate } from "#domain/calendar.ts";
import { invalid, notFound } from "#contract/refusal.ts";
import type { Db } from "#db/database.ts";
import type { AttorneyFilters, ChosenAttorneys } from "#features/attorneys/shapes.ts";
import { isPaused } from "#features/attorneys/vacation.ts";
import { isListedAttorney } from "#features/lists/attorneys.ts";
import { namesOfFilters } from "#list/record-names.ts";

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
  return await idsOnPanel(tx, admin, attorney_ids);
}

async function idsOnPanel(tx: Db, { networkId }: Admin, ids: number[]): Promise<number[]> {
  const wanted = [...new Set(ids)];
  const { rows } = await sql<{ id: number }>`
    select id from attorneys where network_id = ${networkId} and id = any(${wanted}::bigint[])
    order by id`.execute(tx);
  if (rows.length < wanted.length) throw notFound("attorney");
  return rows.map(({ id }) => id);
}

async function idsByFilters(
  tx: Db,
  admin: Admin,
  filters: AttorneyFilters,
  today: PlainDate,
): Promise<number[]> {
  await refuseUnknownFilters(tx, admin, filters);
  const context = { ...admin, today: today.toString() };
  const { rows } = await sql<{ id: number }>`
    select a.id from attorneys a where ${isListedAttorney(context, filters, isPaused(today))}
    order by a.id limit ${mostByFilters + 1}`.execute(tx);
  if (rows.length === 0) throw invalid("filters", "No attorneys match these filters any more.");
  if (rows.length > mostByFilters)
    throw invalid(
      "filters",
      "More than 10,000 attorneys match these filters: choose them in smaller parts.",
    );
  return rows.map(({ id }) => id);
}

/** Throws 404 for a plan, a firm or an attorney of another network. */
export async function refuseUnknownFilters(
  tx: Db,
  admin: Admin,
  { plan_id, firm_id, ids }: AttorneyFilters,
): Promise<void> {
  await namesOfFilters(tx, admin.networkId, {
    ...(plan_id && { plan_id: String(plan_id) }),
    ...(firm_id && { firm_id: String(firm_id) }),
  });
  if (ids) await idsOnPanel(tx, admin, ids.split(",").map(Number));
}
