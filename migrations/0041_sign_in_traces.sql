-- Traces of signing in are audit entries that are kept for 400 days; all others stay for ever.
create function refuse_audit_change() returns trigger language plpgsql as $$
begin
  if tg_op = 'DELETE' and old.record_type = 'sign-in' and old.created_at < now() - interval '400 days' then
    return old;
  end if;
  raise exception 'Rows of % are never changed or deleted.', tg_table_name
    using errcode = 'restrict_violation';
end $$;
drop trigger append_only on audit_entries;
create trigger append_only before update or delete on audit_entries
  for each row execute function refuse_audit_change();

-- The page of sign-ins, and what is removed of them.
create index audit_entries_of_sign_ins on audit_entries (network_id, id) where record_type = 'sign-in';
create index audit_entries_of_sign_ins_by_age on audit_entries (created_at) where record_type = 'sign-in';
-- Whoever has only signed in has changed nothing, and does not stand among those who did.
drop index audit_entries_by_actor;
create index audit_entries_by_actor on audit_entries (network_id, actor_name, id) where record_type <> 'sign-in';

-- Whoever changes an account's email address, and in whatever way: besides what ends, the person is told
-- where they were reached so far.
create or replace function end_access_by_old_email() returns trigger language plpgsql as $$
begin
  delete from sessions where network_id = old.network_id and user_id = old.id;
  update sign_in_links set used_at = now()
  where network_id = old.network_id and user_id = old.id and used_at is null;
  perform withdraw_sign_in_mails(old, 'The account''s email address was changed before this was sent.');
  insert into mails (network_id, occasion, recipient, facts)
  select n.id, 'email changed:' || gen_random_uuid(), old.email,
    json_build_object('kind', 'email changed', 'name', old.name, 'networkName', n.name)
  from networks n
  where n.id = old.network_id and exists (
    select from accounts a where a.network_id = old.network_id and a.user_id = old.id and a.password is not null);
  return null;
end $$;

-- That mail is for the old address, also when the address changes once more before it is sent.
create or replace function forward_mails_of_attorney() returns trigger language plpgsql as $$
begin
  update mails set recipient = new.email
  where network_id = old.network_id and recipient = old.email and status = 'queued'
    and (body is null or position('/sign-in/link#' in body) = 0)
    and (facts is null or facts ->> 'kind' <> 'email changed');
  return null;
end $$;
