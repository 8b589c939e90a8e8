import { sql } from "kysely";
import { notFound } from "#kit/contract/refusal.ts";
import type { Db } from "#kit/db/database.ts";
import type { FilterNames, FiltersOf, RecordKind } from "#kit/list/define-list.ts";

/** How each kind of record is named, and what it is called if it is missing. */
const kinds = {
  attorneys: { thing: "attorney", name: sql`first_name || ' ' || last_name` },
  firms: { thing: "firm", name: sql`name` },
  plans: { thing: "plan", name: sql`name` },
} as const satisfies Record<RecordKind, unknown>;

/**
 * The names of the records that filters refer to by id (a number or its text), by the filters' names. Throws 404
 * for another network's.
 */
export async function namesOfRecords(
  tx: Db,
  networkId: number,
  filters: FiltersOf,
  wanted: object,
): Promise<FilterNames> {
  const names: FilterNames = {};
  for (const [filter, id] of Object.entries(wanted)) {
    const of = filters[filter]?.of;
    if (of === undefined || id === undefined) continue;
    const { thing, name } = kinds[of];
    const { rows } = await sql<{ name: string }>`
      select ${name} as name from ${sql.table(of)}
      where network_id = ${networkId} and id = ${id}::bigint`.execute(tx);
    if (!rows[0]) throw notFound(thing);
    names[filter] = rows[0].name;
  }
  return names;
}
