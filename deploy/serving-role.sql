-- The role that serves requests: it logs in, and owns nothing. What it may do with the tables, the
-- command "migrate" grants it. Run it as a superuser or a role that may make roles, as often as need be:
--   SERVING_PASSWORD=… psql --file deploy/serving-role.sql referral_network
\set ON_ERROR_STOP on
\getenv password SERVING_PASSWORD
select 'create role referral_network_server' where to_regrole('referral_network_server') is null
\gexec
alter role referral_network_server login password :'password';
