import { sql } from "kysely";
import type { Db } from "#kit/db/database.ts";

const tables = [
  "entries",
  "debits",
  "payments",
  "payment_allocations",
  "received_checks",
  "deposits",
  "card_payments",
  "card_refunds",
  "card_transactions",
  "credits",
];

/** A text that changes with each row of the network's money. */
export async function moneyDigest(db: Db, networkId: number): Promise<string> {
  const digests = tables.map(
    (table) => sql`(select md5(string_agg(t::text, ',' order by t::text))
      from ${sql.table(table)} t where network_id = ${networkId})`,
  );
  const { rows } = await sql<{ digest: string }>`
    select concat_ws(' ', ${sql.join(digests)}) as digest`.execute(db);
  return rows[0]?.digest ?? "";
}
