-- The role by which a standby follows its primary and the health check asks; it reads no table. Run it
-- on the primary as a superuser, as often as need be:
--   REPLICATION_PASSWORD=… psql --file deploy/replication-role.sql postgres
\set ON_ERROR_STOP on
\getenv password REPLICATION_PASSWORD
select 'create role referral_network_replication' where to_regrole('referral_network_replication') is null
\gexec
alter role referral_network_replication login replication password :'password';
grant pg_monitor to referral_network_replication;
-- What pg_rewind reads of a new primary's folder. It has no say over what: this role is as good as the
-- database's files, as any role is by which a base backup can be made.
grant execute on function pg_ls_dir(text, boolean, boolean) to referral_network_replication;
grant execute on function pg_stat_file(text, boolean) to referral_network_replication;
grant execute on function pg_read_binary_file(text) to referral_network_replication;
grant execute on function pg_read_binary_file(text, bigint, bigint, boolean) to referral_network_replication;
