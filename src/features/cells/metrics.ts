import type { MetricQuery } from "#ops/metric-query.ts";

/** Nothing where an installation is the only one: then it knows no cell. */
export const cellMetrics: MetricQuery[] = [
  {
    metrics: {
      cell_is_heard:
        "Whether this cell is connected with another one, and hears of its accounts: 1 or 0",
      cell_bytes_behind: "How much another cell has not heard yet of what is written here",
    },
    label: "cell",
    sql: `
      select c.name as label,
        (exists (select from pg_stat_subscription s
          where s.subname = 'referral_network_from_' || replace(c.name, '-', '_') and s.pid is not null))::int
          as cell_is_heard,
        (select pg_wal_lsn_diff(pg_current_wal_lsn(), p.confirmed_flush_lsn)::float8
          from pg_replication_slots p
          where p.slot_name = 'referral_network_to_' || replace(c.name, '-', '_')
            and p.database = current_database()) as cell_bytes_behind
      from cells c where c.name <> (select cell from installation)`,
  },
  {
    metrics: {
      directory_conflicts:
        "Email addresses and networks that this cell and another one claim, one of them within the last day",
    },
    // By index: who claimed lately, and whether the same is claimed by another.
    sql: `
      select count(*)::int as directory_conflicts
      from directory d join directory o on o.kind = d.kind and o.key = d.key and o.cell <> d.cell
      where d.claimed_at > now() - interval '1 day' and d.claimed_at >= o.claimed_at
      having exists (select from cells)`,
  },
];
