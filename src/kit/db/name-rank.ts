import { type RawBuilder, sql, type SqlBool } from "kysely";
import { folded } from "#kit/domain/folded.ts";
import { phoneSearchDigits } from "#kit/domain/us-address.ts";
import { containsText, likePattern, matchesSearch } from "#kit/db/text-search.ts";

const wordsOf = (typed: string): string[] => folded(typed).split(" ").filter(Boolean);

/** The rank of a match on something other than the name. */
const notByName = 3;

/** The folded name in the `search_text` of attorneys and firms: its first line (migration 0067). */
export const nameIn = (searchText: RawBuilder<string>) =>
  sql<string>`split_part(${searchText}, E'\n', 1)`;

/** The rank of a folded name that matches, as in `nameRank` of domain/name-rank.ts. */
function nameRank(name: RawBuilder<string>, typed: string): RawBuilder<number> {
  const words = wordsOf(typed);
  if (words.length === 0) return sql`0`;
  const every = (pattern: (word: string) => string) =>
    sql.join<SqlBool>(
      words.map((word) => sql`' ' || ${name} || ' ' like ${pattern(likePattern(word))}`),
      sql` and `,
    );
  return sql<number>`case when ${every((word) => `% ${word} %`)} then 0
    when ${every((word) => `% ${word}%`)} then 1 else 2 end`;
}

/** What matched if the name does not: the record's texts that contain a typed word, with their labels: "email". */
export function foundBy(
  texts: Record<string, RawBuilder<unknown>>,
  typed: string,
): RawBuilder<string> {
  const digits = phoneSearchDigits(typed);
  const words = [...wordsOf(typed), ...(digits === null ? [] : [digits])];
  if (words.length === 0) return sql`null::text`;
  const parts = Object.entries(texts).map(([label, text]) => {
    const held = words.map((word) => containsText(sql`folded(${text})`, word));
    const digitsHeld = containsText(sql`regexp_replace(${text}, '[^0-9]', '', 'g')`, digits ?? "");
    const isHeld = sql.join(digits === null ? held : [...held, digitsHeld], sql` or `);
    return sql`case when ${isHeld} then ${`${label} `}::text || ${text} end`;
  });
  return sql<string>`nullif(concat_ws(', ', ${sql.join(parts)}), '')`;
}

interface Choosing {
  /** The columns of a choice, from the tables and conditions that follow. */
  columns: RawBuilder<unknown>;
  from: RawBuilder<unknown>;
  /** The stored text of a record, which begins with its name. */
  searchText: RawBuilder<string>;
  /** Whether a record is found by its text or otherwise. */
  isFound: RawBuilder<SqlBool>;
}

/**
 * The rows of some kinds that a search may offer, as the table `found` of a `with`: those whose name matches, with
 * their `rank`; only if there are none, those found otherwise, with `is_by_name` false. Sort by `rank` first, so
 * that Enter chooses the person who was typed.
 */
export function ranked(kinds: Choosing[], typed: string): RawBuilder<unknown> {
  const all = (of: (kind: Choosing) => RawBuilder<unknown>) =>
    sql.join(kinds.map(of), sql` union all `);
  if (typed === "")
    return sql`found as materialized (${all(
      ({ columns, from }) => sql`select ${columns}, 0 as rank, true as is_by_name from ${from}`,
    )})`;
  const byName = all(({ columns, from, searchText }) => {
    const name = nameIn(searchText);
    const words = wordsOf(typed).map((word) => sql` and ${containsText(name, word)}`);
    return sql`select ${columns}, ${nameRank(name, typed)} as rank, true as is_by_name from ${from}
      and ${matchesSearch(searchText, typed)}${sql.join(words, sql``)}`;
  });
  const otherwise = all(
    ({ columns, from, isFound }) => sql`
      select ${columns}, ${sql.lit(notByName)} as rank, false as is_by_name from ${from}
      and not exists (select from by_name) and ${isFound}`,
  );
  return sql`by_name as materialized (${byName}),
    found as materialized (select * from by_name union all ${otherwise})`;
}
