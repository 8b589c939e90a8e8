-- What each migration read like when it was applied (server/migrate.ts): one that was edited since is
-- refused. What was applied before is written down as it reads when this version first starts.
alter table migrations add checksum text;
