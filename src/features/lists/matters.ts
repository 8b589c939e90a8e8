import { sql } from "kysely";
import type { z } from "zod";
import { matchesSearch } from "#db/text-search.ts";
import type { listMatters } from "#features/matters/contract.ts";
import { allOf, type ListContext, type Sql } from "#list/list-context.ts";

type Wanted = Omit<z.output<typeof listMatters.query>, "page" | "per_page" | "sort">;

/** Whether a referral (alias `m`) is one of the list. `isOverdue` says whether the report on `m` is. */
export function isListedMatter({ networkId }: ListContext, wanted: Wanted, isOverdue: Sql): Sql {
  const { attorney_id, status, report, search } = wanted;
  return allOf([
    sql`m.network_id = ${networkId}`,
    attorney_id && sql`m.attorney_id = ${attorney_id}`,
    status && sql`m.status = ${status}`,
    report === "overdue" && isOverdue,
    search && matchesSearch(sql`m.search_text`, search),
  ]);
}
