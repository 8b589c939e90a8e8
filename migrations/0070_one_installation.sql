-- Cells are gone: an installation serves every network that it has. One that is among several cells leaves them first,
-- by the version that knows them: what moves, or was moved and is here still, would be served twice.
do $$
declare
  moving text := (select string_agg(network_id || ' (' || state || ')', ', ' order by network_id) from network_moves);
  joined text := (
    select string_agg(name, ', ' order by name) from (
      select subname from pg_subscription
      where subdbid = (select oid from pg_database where datname = current_database())
      union all
      select slot_name from pg_replication_slots where database = current_database()
    ) as other (name)
    where name like 'referral\_network\_%');
begin
  if moving is not null then
    raise exception 'this version moves no networks, and this database has some on their way or moved: %. Finish each with the version before (move-network, move-network --call-off or remove-moved-network)', moving;
  end if;
  if joined is not null then
    raise exception 'this version knows no cells, and this database is joined with others by replication: %. Leave each with the version before (leave-cell, in both), and drop what is left by drop subscription or pg_drop_replication_slot', joined;
  end if;
  if exists (
    select from directory d join installation i on d.cell <> i.cell join networks n on d.kind = 'network' and d.key = n.id::text
  ) then
    raise exception 'another cell claims a network of this database: see "npm run cli -- cells" of the version before';
  end if;
end $$;

drop publication if exists referral_network_cell;

drop trigger keep_directory on networks;
drop trigger keep_directory on users;
drop trigger keep_directory on passkeys;
drop function keep_directory();
drop view directory_entries, account_emails;
drop table directory, cells, network_moves, network_move_steps;
alter table installation drop constraint installation_cell_has_range, drop column cell;

-- With what a report that was being read has kept of the guards, switched off.
drop function refuse_unserved() cascade;
drop function note_network_move();

-- A removed network's rows go with the triggers off (features/database-copy).
create or replace function refuse_change() returns trigger language plpgsql as $$
begin
  raise exception 'Rows of % are never changed or deleted.', tg_table_name
    using errcode = 'restrict_violation';
end $$;

create or replace function refuse_audit_change() returns trigger language plpgsql as $$
begin
  if tg_op = 'DELETE' then
    if old.record_type = 'sign-in' and old.created_at < now() - interval '400 days' then
      return old;
    end if;
  end if;
  raise exception 'Rows of % are never changed or deleted.', tg_table_name
    using errcode = 'restrict_violation';
end $$;

create or replace function keep_debit() returns trigger language plpgsql as $$
begin
  if tg_op = 'DELETE' or pg_trigger_depth() < 2 then
    raise exception 'A debit changes through its ledger entries and payments, and only so.'
      using errcode = 'restrict_violation';
  end if;
  return new;
end $$;

create or replace function keep_credit() returns trigger language plpgsql as $$
begin
  if tg_op = 'DELETE' or pg_trigger_depth() < 2
    or (new.network_id, new.id, new.attorney_id, new.payment_id, new.amount_cents)
      is distinct from (old.network_id, old.id, old.attorney_id, old.payment_id, old.amount_cents) then
    raise exception 'Credit changes through its entries, and only so.' using errcode = 'restrict_violation';
  end if;
  return new;
end $$;

drop function is_remover_of(bigint);
drop function is_mover_of(bigint, boolean);

-- They told replication whose a row is.
alter table users replica identity default;
alter table accounts replica identity default, drop constraint accounts_of_network;
alter table two_factors replica identity default, drop constraint two_factors_of_network;
alter table passkeys replica identity default, drop constraint passkeys_of_network;
