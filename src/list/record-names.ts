import { type RawBuilder, sql } from "kysely";
import { notFound } from "#contract/refusal.ts";
import type { Db } from "#db/database.ts";
import type { FilterNames, Filters } from "#list/define-list.ts";

/** What a filter names by its id: the words for it, its table and what people call it. */
const records: Record<
  "attorney_id" | "firm_id" | "plan_id",
  { thing: string; table: "attorneys" | "firms" | "plans"; name: RawBuilder<string> }
> = {
  attorney_id: {
    thing: "attorney",
    table: "attorneys",
    name: sql`first_name || ' ' || last_name`,
  },
  firm_id: { thing: "firm", table: "firms", name: sql`name` },
  plan_id: { thing: "plan", table: "plans", name: sql`name` },
};

/** The names of the records that a list's filters name by their ids. Throws 404 for another network's. */
export async function namesOfFilters(
  tx: Db,
  networkId: number,
  filters: Filters,
): Promise<FilterNames> {
  const names: FilterNames = {};
  for (const filter of ["attorney_id", "firm_id", "plan_id"] as const) {
    const id = filters[filter];
    if (id === undefined) continue;
    const { thing, table, name } = records[filter];
    const { rows } = await sql<{ name: string }>`
      select ${name} as name from ${sql.table(table)}
      where network_id = ${networkId} and id = ${id}::bigint`.execute(tx);
    if (!rows[0]) throw notFound(thing);
    names[filter] = rows[0].name;
  }
  return names;
}
