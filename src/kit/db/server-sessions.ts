/**
 * Which rows of `pg_stat_activity` are a server's dedicated connection: each web process and worker has
 * one for as long as it runs, to listen for changes or to take jobs. Commands have none.
 */
export const isServerSession =
  "application_name in ('referral-network listener', 'referral-network jobs')";
