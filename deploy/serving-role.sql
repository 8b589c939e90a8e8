-- The role that serves requests: it can log in, and owns nothing. The command "migrate" grants it rights on the
-- tables. Run this as a superuser or a role that may create roles, as often as needed:
--   SERVING_PASSWORD=… psql --file deploy/serving-role.sql referral_network
\set ON_ERROR_STOP on
\getenv password SERVING_PASSWORD
select 'create role referral_network_server' where to_regrole('referral_network_server') is null
\gexec
alter role referral_network_server login password :'password';
