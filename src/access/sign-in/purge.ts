import { type RawBuilder, sql } from "kysely";
import type { Db } from "#kit/db/database.ts";
import { isOpen } from "#kit/http/session.ts";

const rowsAtOnce = 1_000;

/**
 * Delete expired sessions, the auth library's expired verifications, and links and address changes that were used,
 * ended or expired a month ago. In batches, each in its own transaction; rows locked by others wait for the next run.
 */
export async function purgeSignIns(db: Db, stopping?: AbortSignal): Promise<void> {
  const expired: [table: string, key: RawBuilder<unknown>, rows: RawBuilder<unknown>][] = [
    [
      "sessions",
      sql`id`,
      sql`
      select s.id from sessions s join users u on u.id = s.user_id where not ${isOpen}
      limit ${rowsAtOnce} for update of s skip locked`,
    ],
    [
      "verifications",
      sql`id`,
      sql`
      select id from verifications where expires_at < now() limit ${rowsAtOnce} for update skip locked`,
    ],
    [
      "sign_in_links",
      sql`(network_id, id)`,
      sql`
      select network_id, id from sign_in_links where least(used_at, expires_at) < now() - interval '30 days'
      limit ${rowsAtOnce} for update skip locked`,
    ],
    [
      "email_changes",
      sql`(network_id, id)`,
      sql`
      select network_id, id from email_changes where ended_at < now() - interval '30 days'
      limit ${rowsAtOnce} for update skip locked`,
    ],
  ];
  for (const [table, key, rows] of expired) {
    let removed = rowsAtOnce;
    while (removed === rowsAtOnce) {
      if (stopping?.aborted) return;
      const { numAffectedRows } = await sql`
        delete from ${sql.table(table)} where ${key} in (${rows})`.execute(db);
      removed = Number(numAffectedRows);
    }
  }
}
