import { type RawBuilder, sql, type SqlBool } from "kysely";
import { folded } from "#domain/folded.ts";
import { phoneSearchDigits } from "#domain/us-address.ts";
import { containsText, likePattern } from "#db/text-search.ts";

const wordsOf = (typed: string): string[] => folded(typed).split(" ").filter(Boolean);

/** The rank of what matches otherwise than by its name. */
const notByName = 3;

/** How well a name matches, as `nameRank` of domain/name-rank.ts, and 3 where it does not. */
function nameRank(name: RawBuilder<unknown>, typed: string): RawBuilder<number> {
  const words = wordsOf(typed);
  if (words.length === 0) return sql`0`;
  const every = (condition: (word: string) => RawBuilder<SqlBool>) =>
    sql.join<SqlBool>(words.map(condition), sql` and `);
  const text = sql<string>`' ' || folded(${name}) || ' '`;
  return sql<number>`case
    when ${every((word) => sql`${text} like ${`% ${likePattern(word)} %`}`)} then 0
    when ${every((word) => sql`${text} like ${`% ${likePattern(word)}%`}`)} then 1
    when ${every((word) => containsText(text, word))} then 2
    else ${notByName}::integer end`;
}

/** By what a record was found where its name does not match: those of its texts that hold a word which was typed. */
function foundBy(texts: Record<string, RawBuilder<unknown>>, typed: string): RawBuilder<string> {
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
  /** The columns that a choice has, of the table or tables and under the conditions that follow. */
  columns: RawBuilder<unknown>;
  from: RawBuilder<unknown>;
  name: RawBuilder<unknown>;
  /** What else a record can be found by, by what it is called: "email". */
  texts: Record<string, RawBuilder<unknown>>;
}

/**
 * The rows that a search may offer for a choice, with `rank` and `found_by` (null where the name matches), for
 * `bestMatches`.
 */
export function ranked({ columns, from, name, texts }: Choosing, typed: string) {
  return sql`select ${columns}, ${nameRank(name, typed)} as rank, ${foundBy(texts, typed)} as found_by from ${from}`;
}

/**
 * Of the ranked rows in the table `found`, those whose name matches; only where there are none, those that were found
 * otherwise. `rank` comes before any other order: whoever presses Enter gets who was typed.
 */
export const bestMatches = sql`
  select *, case when rank = ${sql.lit(notByName)} then found_by end as by from found
  where rank < ${sql.lit(notByName)} or not exists (select from found where rank < ${sql.lit(notByName)})`;
