import { sql } from "kysely";
import type { Found } from "#office/desk/search/contract.ts";

/**
 * A record that matches, and how well: 0 for the whole number, name or phone number that was typed, 1 for a name or
 * number that begins with it, 2 for words that begin so or the end of a phone number, 3 for a part of them, 9 for an
 * attorney who has left the panel.
 */
export interface Match extends Found {
  rank: number;
}

/** How many records one search answers, of any one kind or of all together. */
export const maxFound = 20;

/** The rank of an attorney who has left the panel. */
export const leftPanel = 9;

/** Between the parts of a detail. */
export const dots = sql`' · '`;

export const personName = sql`a.first_name || ' ' || a.last_name`;
