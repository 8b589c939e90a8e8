import { sql } from "kysely";
import type { Db } from "#kit/db/database.ts";
import { inTransaction } from "#kit/db/transaction.ts";
import type { MadeNetwork } from "#main/demo/records/networks.ts";

/** Move a network's existing entries to an instant and its date; as the owner of the tables. */
export async function recordedAt(db: Db, network: MadeNetwork, instant: string): Promise<void> {
  await inTransaction(db, async (tx) => {
    await sql`alter table entries disable trigger user`.execute(tx);
    await sql`
      update entries e set created_at = ${instant}, day = (${instant}::timestamptz at time zone n.time_zone)::date
      from networks n where n.id = ${network.id} and e.network_id = n.id
        and e.created_at > now() - interval '1 hour'`.execute(tx);
    await sql`alter table entries enable trigger user`.execute(tx);
  });
}

/**
 * Insert adjustments past the product: `times` equal ones for each debit, of `cents`, which may be negative.
 */
export async function adjustByHand(
  db: Db,
  debits: number[],
  { cents, note = "", times = 1 }: { cents: number; note?: string; times?: number },
): Promise<void> {
  const accounts = cents > 0 ? sql`'adjustments', 'receivable'` : sql`'receivable', 'adjustments'`;
  await sql`
    insert into entries (network_id, cause, from_account, to_account, amount_cents, day, attorney_id, debit_id, note)
    select network_id, 'adjustment', ${accounts}, ${Math.abs(cents)}::bigint, network_day(network_id), attorney_id,
      id, ${note}
    from debits, generate_series(1, ${times}::integer)
    where id = any(${debits}::bigint[])`.execute(db);
}
