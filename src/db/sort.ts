import { type RawBuilder, sql } from "kysely";
import type { SortBy } from "#contract/sort.ts";

/**
 * What stands after `order by` for the order that a list was asked for, or its usual one. Rows without a
 * value come last either way. `tie` is unique, so that no row stands on two pages; the usual order
 * begins with nothing else.
 */
export function orderBy<Column extends string>(
  sort: SortBy<Column> | undefined,
  columns: Record<Column, RawBuilder<unknown>>,
  { usual, tie }: { usual: RawBuilder<unknown>; tie: RawBuilder<unknown> },
): RawBuilder<unknown> {
  if (sort === undefined) return usual;
  const isDescending = sort.startsWith("-");
  const column = columns[(isDescending ? sort.slice(1) : sort) as Column];
  return isDescending
    ? sql`${column} desc nulls last, ${tie} desc`
    : sql`${column} asc nulls last, ${tie}`;
}
