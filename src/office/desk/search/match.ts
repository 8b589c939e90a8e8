import { sql } from "kysely";
import type { Found } from "#office/desk/search/contract.ts";

/**
 * A matching record and its rank: 0 for an exact number, name or phone number, 1 for a name or number that begins with
 * the text, 2 for words that begin with it or the end of a phone number, 3 for part of them, 9 for an attorney who has
 * left the panel.
 */
export interface Match extends Found {
  rank: number;
}

/** The most records that a search returns, of any kind and in total. */
export const maxFound = 20;

/** The rank of an attorney who has left the panel. */
export const leftPanel = 9;

/** Separates the parts of a detail. */
export const dots = sql`' · '`;

export const personName = sql`a.first_name || ' ' || a.last_name`;
