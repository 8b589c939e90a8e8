/**
 * Which rows of `pg_stat_activity` are a server's dedicated connection. Each web process and worker has one while
 * it runs, to listen for changes or to take jobs. Commands have none.
 */
export const isServerSession =
  "application_name in ('referral-network listener', 'referral-network jobs')";
