-- What is true of this database as a whole: one row, written by the first server that starts on it.
create table installation (
  is_only_row boolean primary key default true check (is_only_row),
  -- Also in installation.json beside the report files: whose they are (server/shared-folder.ts).
  database_id uuid not null default gen_random_uuid(),
  -- Of the folder that holds them; null until a server with DATABASE_URL has started.
  folder_id uuid,
  -- A text sealed under APP_SECRET: whatever opens it is the secret of all processes.
  sealed_probe text
);
