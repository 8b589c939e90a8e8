import type { MetricQuery } from "#ops/metric-query.ts";

/*
 * How PostgreSQL itself is: what fails slowly, and then all at once. Not every role may read all of it, so
 * each query stands for itself; a standby and a slot are told apart by the name that the operator gave it.
 */

const seconds = (interval: string) => `extract(epoch from ${interval})::float8`;

/** Where the log is: on a standby as far as it was replayed. */
const here =
  "case when pg_is_in_recovery() then pg_last_wal_replay_lsn() else pg_current_wal_lsn() end";
const bytesSince = (position: string) =>
  `pg_wal_lsn_diff(greatest(${here}, ${position}), ${position})::float8`;

/** What `pg_monitor` has, too: `grant pg_read_all_stats to referral_network_server`. */
const readsAllStatistics = "pg_has_role('pg_read_all_stats', 'usage')";

/** Where the archived segment ends: its name is the timeline, then its place in hexadecimal digits. */
const endOfArchived = `
  '0/0'::pg_lsn + (('x' || substr(last_archived_wal, 9, 8))::bit(32)::bigint * 4294967296
    + (('x' || substr(last_archived_wal, 17, 8))::bit(32)::bigint + 1)
      * pg_size_bytes(current_setting('wal_segment_size')))::numeric`;

/** How many standbys a commit waits for, as synchronous_standby_names and synchronous_commit say. */
const standbysWaitedFor = `
  case
    when current_setting('synchronous_commit') in ('off', 'local') then 0
    when trim(names) = '' then 0
    else coalesce(substring(names from '^\\s*(?:(?:first|any)\\s+)?(\\d+)\\s*\\(')::int, 1)
  end`;

/**
 * Standbys: they say how far they have replayed, as no base backup does and no receiver of the log such as
 * pg_receivewal. A role that may not read that goes by the names of PostgreSQL's own programs.
 */
const standbys = `
  pg_stat_replication r
  left join pg_replication_slots s on s.active_pid = r.pid
  where s.slot_type is distinct from 'logical'
    and case when r.state is null then r.application_name <> all ('{pg_basebackup,pg_receivewal}')
      else r.replay_lsn is not null end`;

export const databaseServerMetrics: MetricQuery[] = [
  {
    statistic: { name: "server" },
    metrics: {
      database_read_only: "1 when the database takes no writes: a standby, or set to read only",
      database_in_recovery: "1 when it is a standby, or is being restored",
      database_size_bytes: "Size of the database: tables, indexes and what they leave behind",
      database_server_connections: "Connections of everybody to the database server",
      database_server_connections_limit: "How many it accepts, less those kept for superusers",
      database_transaction_ids_used:
        "Transactions since the oldest that is not frozen: writes end at two thousand million",
    },
    sql: `
      select (current_setting('transaction_read_only') = 'on')::int as database_read_only,
        pg_is_in_recovery()::int as database_in_recovery,
        pg_database_size(current_database())::float8 as database_size_bytes,
        (select sum(numbackends) from pg_stat_database)::float8 as database_server_connections,
        current_setting('max_connections')::int
          - current_setting('superuser_reserved_connections')::int
          - coalesce(current_setting('reserved_connections', true)::int, 0)
          as database_server_connections_limit,
        (select max(greatest(age(datfrozenxid), mxid_age(datminmxid))) from pg_database)
          as database_transaction_ids_used`,
  },
  {
    // Of its own sessions every role may read this.
    statistic: { name: "transactions" },
    metrics: {
      database_oldest_transaction_seconds:
        "Age of the oldest open or prepared transaction; without pg_read_all_stats of our own role's",
      database_commits_waiting_seconds:
        "How long the commit has waited that waits longest for a synchronous standby",
    },
    sql: `
      select greatest(
          coalesce(max(${seconds("clock_timestamp() - xact_start")}), 0),
          (select coalesce(max(${seconds("clock_timestamp() - prepared")}), 0) from pg_prepared_xacts)
        ) as database_oldest_transaction_seconds,
        coalesce(max(${seconds("clock_timestamp() - query_start")})
          filter (where wait_event = 'SyncRep'), 0) as database_commits_waiting_seconds
      from pg_stat_activity where backend_type = 'client backend' and pid <> pg_backend_pid()`,
  },
  {
    statistic: { name: "standbys" },
    metrics: {
      database_standbys: "Standbys that are connected",
      database_synchronous_standbys_wanted: "Standbys that each commit waits for; 0: for none",
    },
    sql: `
      select (select count(*) from ${standbys}) as database_standbys,
        ${standbysWaitedFor} as database_synchronous_standbys_wanted
      from lower(current_setting('synchronous_standby_names')) as names`,
  },
  {
    statistic: { name: "replication", mayRead: readsAllStatistics },
    metrics: { database_synchronous_standbys: "Connected standbys that commits may wait for" },
    sql: `
      select count(*) filter (where sync_state in ('sync', 'quorum')) as database_synchronous_standbys
      from pg_stat_replication`,
  },
  {
    statistic: { name: "replication", mayRead: readsAllStatistics },
    label: "standby",
    metrics: {
      database_standby_lag_bytes: "Log that the standby has not replayed yet",
      database_standby_lag_seconds:
        "How long the standby took, at last, to replay what was written",
    },
    sql: `
      select r.application_name as label, max(${bytesSince("r.replay_lsn")}) as database_standby_lag_bytes,
        coalesce(max(${seconds("r.replay_lag")}), 0) as database_standby_lag_seconds
      from ${standbys} group by label`,
  },
  {
    statistic: { name: "archiving" },
    metrics: {
      database_archiving_failing: "1 when the last attempt to archive the write-ahead log failed",
      database_archived_timestamp_seconds: "When some of it was archived last",
      database_unarchived_bytes: "Log written since the end of what was archived last",
    },
    sql: `
      select (last_failed_time > coalesce(last_archived_time, '-infinity'))::int
          as database_archiving_failing,
        ${seconds("last_archived_time")} as database_archived_timestamp_seconds,
        case when last_archived_wal ~ '^[0-9A-F]{24}' then ${bytesSince(endOfArchived)} end
          as database_unarchived_bytes
      from pg_stat_archiver where current_setting('archive_mode') <> 'off'`,
  },
  {
    statistic: { name: "slots" },
    label: "slot",
    metrics: {
      database_slot_active: "1 while somebody reads the replication slot",
      database_slot_bytes: "Log that is kept for it",
      database_slot_lost:
        "1 when log that it needs is gone, or about to go: its standby must be made anew",
    },
    sql: `
      select slot_name as label, active::int as database_slot_active,
        ${bytesSince("restart_lsn")} as database_slot_bytes,
        (wal_status in ('unreserved', 'lost'))::int as database_slot_lost
      from pg_replication_slots where not temporary`,
  },
  {
    statistic: {
      name: "log folder",
      mayRead: "has_function_privilege('pg_ls_waldir()', 'execute')",
    },
    metrics: { database_log_folder_bytes: "Size of PostgreSQL's folder pg_wal" },
    sql: "select sum(size)::float8 as database_log_folder_bytes from pg_ls_waldir()",
  },
];
