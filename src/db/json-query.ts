import type { RawBuilder } from "kysely";
import type { Db } from "#db/database.ts";

/** JSON text that a query has already built in the contract's JSON format: passed through unchanged. */
export class RawJson {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

/**
 * Run a query whose one row has one column `body`: JSON text in the contract's format. Building
 * it in SQL costs a third of parsing rows and encoding them again (docs/decisions/005). Answers null
 * when there is no row.
 */
export async function jsonQuery(
  tx: Db,
  query: RawBuilder<{ body: string }>,
): Promise<RawJson | null> {
  const { rows } = await query.execute(tx);
  return rows[0] ? new RawJson(rows[0].body) : null;
}

/** The same where the row is known to exist. */
export async function jsonQueryOrThrow(
  tx: Db,
  query: RawBuilder<{ body: string }>,
): Promise<RawJson> {
  const answer = await jsonQuery(tx, query);
  if (!answer) throw new Error("A record that was just written is not there.");
  return answer;
}
