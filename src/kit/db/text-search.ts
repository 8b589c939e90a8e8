import { type RawBuilder, sql, type SqlBool } from "kysely";
import { folded } from "#kit/domain/folded.ts";
import { phoneDigits, phoneSearchDigits } from "#kit/domain/us-address.ts";

/**
 * The condition for a record to match a search: it contains the phone number or a part of one, in any format, or
 * else every typed word, however names are written. A search for only ignored signs, such as a dash, matches
 * nothing. `column` holds the record's text as `folded` writes it, with phone numbers both formatted and as bare
 * digits.
 */
export function matchesSearch(column: RawBuilder<string>, typed: string): RawBuilder<SqlBool> {
  const digits = phoneSearchDigits(typed);
  if (digits !== null && phoneDigits(typed) !== null) return containsText(column, digits);
  const words = typedWords(typed);
  if (words.length === 0) return sql`false`;
  const everyWord = sql.join<SqlBool>(
    words.map((word) => containsWord(column, word)),
    sql` and `,
  );
  return digits === null || words.length === 1
    ? sql`(${everyWord})`
    : sql`((${everyWord}) or ${containsText(column, digits)})`;
}

/** Words between blanks and commas, as `folded` writes them: "Lowe-Hart" is one word, "lowe hart". */
const typedWords = (typed: string): string[] =>
  typed
    .split(/[\s,]+/)
    .map(folded)
    .filter(Boolean);

function containsWord(column: RawBuilder<string>, word: string): RawBuilder<SqlBool> {
  const digits = phoneSearchDigits(word);
  if (digits === null || digits === word) return containsText(column, word);
  return sql`(${containsText(column, word)} or ${containsText(column, digits)})`;
}

/** Whether a column contains a text, taken literally. */
export function containsText(column: RawBuilder<string>, text: string): RawBuilder<SqlBool> {
  return sql`${column} like ${`%${likePattern(text)}%`}`;
}

/** A text as part of a `like` pattern, taken literally. */
export const likePattern = (text: string): string => text.replaceAll(/[\\%_]/g, String.raw`\$&`);
