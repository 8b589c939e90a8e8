import type { MetricQuery } from "#kit/ops/metric-query.ts";

/*
 * What wakes a person about PostgreSQL; postgres_exporter has the rest. Every role may read this of its own
 * sessions.
 */

/**
 * Standbys report how far they have replayed; base backups and log receivers such as pg_receivewal do not. A role
 * that may not read that goes by the names of PostgreSQL's own programs.
 */
const standbys = `
  pg_stat_replication r
  left join pg_replication_slots s on s.active_pid = r.pid
  where s.slot_type is distinct from 'logical'
    and case when r.state is null then r.application_name <> all ('{pg_basebackup,pg_receivewal}')
      else r.replay_lsn is not null end`;

export const databaseServerMetrics: MetricQuery[] = [
  {
    isOfServer: true,
    metrics: {
      database_read_only: "1 when the database is read-only: a standby, or set to read only",
      database_commits_waiting_seconds:
        "The longest time that a commit has waited for a synchronous standby",
      database_standbys: "Connected standbys",
    },
    sql: `
      select (current_setting('transaction_read_only') = 'on')::int as database_read_only,
        (select coalesce(max(extract(epoch from clock_timestamp() - query_start)::float8), 0)
          from pg_stat_activity where wait_event = 'SyncRep' and pid <> pg_backend_pid())
          as database_commits_waiting_seconds,
        (select count(*) from ${standbys}) as database_standbys`,
  },
  {
    isOfServer: true,
    metrics: {
      database_archiving_failing: "1 when the last attempt to archive the write-ahead log failed",
    },
    sql: `
      select (last_failed_time > coalesce(last_archived_time, '-infinity'))::int
          as database_archiving_failing
      from pg_stat_archiver where current_setting('archive_mode') <> 'off'`,
  },
];
