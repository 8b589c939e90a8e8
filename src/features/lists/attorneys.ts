import { sql } from "kysely";
import type { z } from "zod";
import { matchesSearch } from "#db/text-search.ts";
import type { listAttorneys } from "#features/attorneys/contract.ts";
import { allOf, type ListContext, type Sql } from "#features/lists/list-context.ts";

type Wanted = Omit<z.output<typeof listAttorneys.query>, "page" | "per_page" | "sort">;

/** Whether an attorney (alias `a`) is one of the list. `isPaused` says whether `a` is on vacation. */
export function isListedAttorney({ networkId }: ListContext, wanted: Wanted, isPaused: Sql): Sql {
  const { status, search } = wanted;
  return allOf([
    sql`a.network_id = ${networkId}`,
    status === "left" ? sql`a.left_on is not null` : sql`a.left_on is null`,
    status === "paused" && isPaused,
    status === "suspended" && sql`a.suspended_at is not null`,
    status === "active" && sql`not ${isPaused} and a.suspended_at is null`,
    search && matchesSearch(sql`a.search_text`, search),
  ]);
}
