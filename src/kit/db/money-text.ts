import { type RawBuilder, sql } from "kysely";

/** An amount for people, written by the database: "$1,234.50". `cents` is an SQL expression. */
export function moneyText(cents: RawBuilder<unknown>): RawBuilder<string> {
  return sql`'$' || to_char(${cents} / 100.0, 'FM999,999,999,990.00')`;
}
