-- The sign-in library does not know networks: a user's records take the user's network. A record of an account that
-- was just removed is refused as its foreign key would.
create or replace function take_network_of_user() returns trigger language plpgsql as $$
begin
  select network_id into new.network_id from users where id = new.user_id;
  if not found then
    raise exception 'There is no such user: constraint "%_network_id_user_id_fkey".', tg_table_name
      using errcode = 'foreign_key_violation', constraint = tg_table_name || '_network_id_user_id_fkey';
  end if;
  return new;
end $$;

create or replace trigger take_network before insert on accounts
  for each row execute function take_network_of_user();
create or replace trigger take_network before insert on sessions
  for each row execute function take_network_of_user();
create or replace trigger take_network before insert on two_factors
  for each row execute function take_network_of_user();
create or replace trigger take_network before insert on passkeys
  for each row execute function take_network_of_user();

-- When an account last signed in.
create or replace function note_sign_in() returns trigger language plpgsql as $$
begin
  update users set last_signed_in_at = new.created_at
  where network_id = new.network_id and id = new.user_id;
  return null;
end $$;

create or replace trigger note_sign_in after insert on sessions for each row execute function note_sign_in();

-- Whenever a session ends, every process is notified in the order of commits, and closes the session's sockets
-- before it delivers anything later.
create or replace function tell_sessions_ended() returns trigger language plpgsql as $$
declare
  ended_ids bigint[];
begin
  -- In slices: a notification holds less than 8,000 bytes.
  for ended_ids in
    select array_agg(id) from (select id, (row_number() over (order by id) - 1) / 300 as slice from ended) as numbered
    group by slice order by slice
  loop
    perform pg_notify('cable', json_build_object('v', 1, 'ended', ended_ids)::text);
  end loop;
  return null;
end $$;

create or replace trigger tell_ended after delete on sessions
  referencing old table as ended for each statement execute function tell_sessions_ended();

-- An account whose role, attorney or network changes must sign in again, because its sessions stand for the old
-- one. Deleting them notifies every process.
create or replace function end_sessions_of_changed_users() returns trigger language plpgsql as $$
begin
  delete from sessions where network_id = old.network_id and user_id = old.id;
  return null;
end $$;

create or replace trigger end_sessions after update of role, attorney_id, network_id on users
 
  for each row when (new.role is distinct from old.role or new.attorney_id is distinct from old.attorney_id
    or new.network_id is distinct from old.network_id)
  execute function end_sessions_of_changed_users();

-- A changed email address ends sessions, links and waiting mail with links, and notifies the person at the old
-- address.
create or replace function end_access_by_old_email() returns trigger language plpgsql as $$
begin
  delete from sessions where network_id = old.network_id and user_id = old.id;
  update sign_in_links set used_at = now()
  where network_id = old.network_id and user_id = old.id and used_at is null;
  perform withdraw_sign_in_mails(old, 'The account''s email address was changed before this was sent.');
  insert into mails (network_id, occasion, user_id, recipient, facts)
  select n.id, 'email changed:' || gen_random_uuid(), old.id, old.email,
    json_build_object('kind', 'email changed', 'name', old.name, 'networkName', n.name)
  from networks n
  where n.id = old.network_id and old.in_use_since is not null;
  return null;
end $$;

create or replace trigger end_access_by_old_email after update of email on users
  for each row when (new.email is distinct from old.email) execute function end_access_by_old_email();

-- A removed administrator's tokens end, including one made at the same moment: its row refers to the account, so
-- this waits for it.
create or replace function revoke_tokens_of_maker() returns trigger language plpgsql as $$
begin
  update api_tokens set revoked_at = now()
  where network_id = old.network_id and made_by = old.id and revoked_at is null;
  return old;
end $$;

create or replace trigger revoke_tokens before delete on users
  for each row when (old.role = 'admin') execute function revoke_tokens_of_maker();
