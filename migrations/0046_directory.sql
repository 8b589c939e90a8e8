-- Cells are several complete installations; a network is whole in one of them (docs/decisions/078).
alter table installation
  -- Which ids networks, accounts and what else is known by its id alone are given here (ID_RANGE); null:
  -- all, as in a single cell.
  add column first_id bigint check (first_id >= 1),
  add column last_id bigint check (last_id > first_id),
  add constraint installation_whole_range check ((first_id is null) = (last_id is null)),
  -- What this cell is called (CELL); null where it is the only one.
  add column cell text,
  add constraint installation_cell_has_range check (cell is null or first_id is not null);

-- Every cell that this one knows, itself included. Each writes its own row; the others' arrive by logical replication.
create table cells (
  name text primary key check (name ~ '^[a-z0-9]([a-z0-9-]{0,18}[a-z0-9])?$'),
  first_id bigint not null,
  last_id bigint not null,
  -- Where the other cells' processes reach this one's web processes; null where they do not.
  address text,
  -- All cells' keys together decide where who has no account is led to (features/cells/directory.ts).
  sign_in_key uuid not null default gen_random_uuid()
);

-- Which cell serves a network, signs in the account of an email address, knows a passkey. As with `cells`, each
-- writes its own entries. A key that two cells claim is two rows: it must not stop the replication.
create table directory (
  kind text not null check (kind in ('network', 'email', 'passkey')),
  key text not null,
  cell text not null,
  -- Not `network_id`: an entry is the cell's, and neither moves with its network nor is guarded with it.
  of_network bigint not null,
  claimed_at timestamptz not null default now(),
  primary key (kind, key, cell)
);
create index directory_by_network on directory (of_network, cell);
create index directory_by_claim on directory (claimed_at);

-- What this database's own records would enter.
create view directory_entries as
  select 'network' as kind, id::text as key, id as of_network from networks
  union all
  select 'email', email, network_id from users
  union all
  select 'passkey', credential_id, network_id from passkeys;

-- Email addresses that no other account may have: of the accounts here, and of the other cells'.
create view account_emails as
  select email, id as user_id from users
  union all
  select key, null from directory
  where kind = 'email' and cell <> (select cell from installation);

-- Whoever makes, renames or removes what the directory names, and in whatever way. An email address that another
-- cell has is refused as a local duplicate is. Rows that arrive by replication, as when a network moves, fire no
-- trigger: whoever moves it enters them. The arguments are the kind and the columns of key and network.
create function keep_directory() returns trigger language plpgsql as $$
declare
  own text := (select cell from installation);
  was jsonb;
  becomes jsonb;
begin
  if own is null then
    return null;
  end if;
  was := to_jsonb(old);
  becomes := to_jsonb(new);
  delete from directory
  where kind = tg_argv[0] and key = was ->> tg_argv[1] and cell = own and of_network = (was ->> tg_argv[2])::bigint;
  if becomes is null then
    return null;
  end if;
  if tg_argv[0] = 'email' and was ->> 'email' is distinct from becomes ->> 'email' and exists (
    select from directory where kind = 'email' and key = becomes ->> 'email' and cell <> own
  ) then
    raise unique_violation using message = 'another cell has an account with this email address',
      constraint = 'users_email_key', table = 'users';
  end if;
  insert into directory (kind, key, cell, of_network)
  values (tg_argv[0], becomes ->> tg_argv[1], own, (becomes ->> tg_argv[2])::bigint)
  on conflict (kind, key, cell) do update set of_network = excluded.of_network, claimed_at = now();
  return null;
end $$;
create trigger keep_directory after insert or delete on networks
  for each row execute function keep_directory('network', 'id', 'id');
create trigger keep_directory after insert or delete or update of email, network_id on users
  for each row execute function keep_directory('email', 'email', 'network_id');
create trigger keep_directory after insert or delete on passkeys
  for each row execute function keep_directory('passkey', 'credential_id', 'network_id');
