import { type RawBuilder, sql } from "kysely";
import type { SortBy } from "#contract/sort.ts";

type Sql = RawBuilder<unknown>;

/** A name or another text as every list sorts it: accents, case, apostrophes and dashes do not count (migration 0066). */
export const asSorted = (text: Sql): Sql => sql`${text} collate people`;

/** Attorneys or clients by last name, then by first name: rows of this alias, or of the only table. */
export const personOrder = (alias?: string): [last: Sql, first: Sql] => {
  const column = (name: string) => asSorted(sql.ref(alias ? `${alias}.${name}` : name));
  return [column("last_name"), column("first_name")];
};

/** The same to the last of those with one name: `personOrder`, then the id. */
export const byPerson = (alias?: string): Sql =>
  sql.join([...personOrder(alias), sql.ref(alias ? `${alias}.id` : "id")]);

/** The value, or the values in turn, that a column sorts by. No row lacks one of `always`. */
type SortedBy = Sql | Sql[] | { always: Sql[] };

/**
 * What stands after `order by` for the order that a list was asked for, or its usual one. Rows without a value come
 * last either way; of values that every row has nothing is said, so that an index serves both ways. `tie` is unique,
 * so that no row stands on two pages; the usual order begins with nothing else.
 */
export function orderBy<Column extends string>(
  sort: SortBy<Column> | undefined,
  columns: Record<Column, SortedBy>,
  { usual, tie }: { usual: Sql; tie: Sql },
): Sql {
  if (sort === undefined) return usual;
  const isDescending = sort.startsWith("-");
  const sorted = columns[(isDescending ? sort.slice(1) : sort) as Column];
  const [values, nulls] =
    "always" in sorted ? [sorted.always, sql``] : [[sorted].flat(), sql` nulls last`];
  const direction = isDescending ? sql` desc` : sql``;
  const all = [
    ...values.map((value) => sql`${value}${direction}${nulls}`),
    sql`${tie}${direction}`,
  ];
  return sql.join(all);
}
