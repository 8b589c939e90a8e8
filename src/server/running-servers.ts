/** Each server keeps a line of its own to its database, named so; commands have none. One row, `running`. */
export const countRunningServers = `
  select count(*) as running from pg_stat_activity
  where datname = current_database()
    and application_name in ('referral-network listener', 'referral-network roll call')`;
