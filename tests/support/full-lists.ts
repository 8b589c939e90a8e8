import { readFileSync } from "node:fs";
import { sql } from "kysely";
import type { Db } from "#kit/db/database.ts";

interface Wanted {
  networkId: number;
  /** One of its attorneys, who gets twenty years of dues to pay. */
  attorneyId: number;
  rows: number;
  /** The date of the last records. */
  today: string;
}

/**
 * Give a network this many rows in everything that has a list. Needs a card processor if card payments are to
 * be listed.
 */
export async function fillLists(db: Db, wanted: Wanted): Promise<void> {
  const { networkId, attorneyId, rows, today } = wanted;
  const values = { network: networkId, lawyer: attorneyId, rows, today };
  const text = readFileSync(new URL("full-lists.sql", import.meta.url), "utf8");
  const filled = text.replaceAll(
    /:(network|lawyer|rows|today)\b/g,
    (_, name: keyof typeof values) => String(values[name]),
  );
  await sql.raw(filled).execute(db);
  await sql`vacuum analyze`.execute(db);
}
