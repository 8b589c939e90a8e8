import { type RawBuilder, sql, type SqlBool } from "kysely";
import { phoneDigits, searchedDigits } from "#domain/us-address.ts";

/**
 * Whether a record is what somebody looks for: a phone number, or a part of one, in whatever way it
 * is written, else every word of what was typed. `column` holds the record's text in lower case, with
 * phone numbers both as they are written and as bare digits.
 */
export function isSearchedFor(column: RawBuilder<string>, typed: string): RawBuilder<SqlBool> {
  const digits = searchedDigits(typed);
  if (digits !== null && phoneDigits(typed) !== null) return holds(column, digits);
  const words = typed.toLowerCase().split(/\s+/).filter(Boolean);
  const everyWord = sql.join<SqlBool>(
    words.map((word) => holdsWord(column, word)),
    sql` and `,
  );
  return digits === null || words.length === 1
    ? sql`(${everyWord})`
    : sql`((${everyWord}) or ${holds(column, digits)})`;
}

function holdsWord(column: RawBuilder<string>, word: string): RawBuilder<SqlBool> {
  const digits = searchedDigits(word);
  if (digits === null || digits === word) return holds(column, word);
  return sql`(${holds(column, word)} or ${holds(column, digits)})`;
}

function holds(column: RawBuilder<string>, text: string): RawBuilder<SqlBool> {
  return sql`${column} like ${`%${text.replaceAll(/[\\%_]/g, String.raw`\$&`)}%`}`;
}
