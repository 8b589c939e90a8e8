import { sql } from "kysely";
import type { Db } from "#db/database.ts";

/** A cell that this one knows, and how it hears of it. */
export interface KnownCell {
  name: string;
  firstId: number;
  lastId: number;
  isOwn: boolean;
  networks: number;
  accounts: number;
  /** It is subscribed to, and has been heard of so many seconds ago; null: it is not connected now. */
  isJoined: boolean;
  heardSeconds: number | null;
  /** How much it has not heard yet of what is written here; null where it has not joined this one. */
  bytesBehind: number | null;
}

/** Every cell of the directory, this one first. */
export async function listCells(db: Db): Promise<KnownCell[]> {
  const { rows } = await sql<KnownCell>`
    select c.name, c.first_id, c.last_id, c.name = i.cell as is_own,
      (select count(*) from directory d where d.cell = c.name and d.kind = 'network') as networks,
      (select count(*) from directory d where d.cell = c.name and d.kind = 'email') as accounts,
      s.oid is not null as is_joined,
      (select extract(epoch from now() - max(w.last_msg_receipt_time))::int
        from pg_stat_subscription w where w.subid = s.oid and w.pid is not null) as heard_seconds,
      (select pg_wal_lsn_diff(pg_current_wal_lsn(), p.confirmed_flush_lsn)::bigint
        from pg_replication_slots p
        where p.slot_name = 'referral_network_to_' || replace(c.name, '-', '_') and p.database = current_database()) as bytes_behind
    from cells c cross join installation i
    left join pg_subscription s on s.subname = 'referral_network_from_' || replace(c.name, '-', '_')
      and s.subdbid = (select oid from pg_database where datname = current_database())
    order by c.name <> i.cell, c.name`.execute(db);
  return rows;
}

/** What several cells claim: an address in two of them, or a network that is being moved this moment. */
export interface Conflict {
  kind: string;
  key: string;
  cells: string[];
}

export async function listConflicts(db: Db): Promise<Conflict[]> {
  const { rows } = await sql<Conflict>`
    select kind, key, array_agg(cell order by claimed_at) as cells from directory
    group by kind, key having count(*) > 1 order by kind, key`.execute(db);
  return rows;
}
