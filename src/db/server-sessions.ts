/**
 * Which lines of `pg_stat_activity` are of servers: each keeps one for as long as it runs, to hear of
 * changes or to take jobs. Commands have none.
 */
export const isServersSession =
  "application_name in ('referral-network listener', 'referral-network jobs')";
