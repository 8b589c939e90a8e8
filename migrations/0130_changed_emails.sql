-- A mail that was not sent because what it tells no longer holds.
alter table mails drop constraint mails_status_check,
  add constraint mails_status_check check (status in ('queued', 'sent', 'gave_up', 'withdrawn'));
create index mails_waiting_for on mails (network_id, recipient) where status = 'queued';

-- Single-use links are for the person, not for whoever has the mailbox: waiting mail with one is not
-- sent to an address that the account no longer has. As `withoutLinks` does it, the code goes too.
create function withdraw_sign_in_mails(account users, reason text) returns void language sql as $$
  update mails
  set status = 'withdrawn', last_problem = reason,
    body = regexp_replace(body, '(/sign-in/link#)[[:alnum:]_-]+', '\1…', 'g')
  where network_id = account.network_id and recipient = account.email and status = 'queued'
    and position('/sign-in/link#' in body) > 0
$$;

-- Whoever changes an account's email address, and in whatever way: what was given out under the old
-- one ends. Deleting the sessions tells every process.
create function end_access_by_old_email() returns trigger language plpgsql as $$
begin
  delete from sessions where network_id = old.network_id and user_id = old.id;
  update sign_in_links set used_at = now()
  where network_id = old.network_id and user_id = old.id and used_at is null;
  perform withdraw_sign_in_mails(old, 'The account''s email address was changed before this was sent.');
  return null;
end $$;
create trigger end_access_by_old_email after update of email on users
  for each row when (new.email is distinct from old.email)
  execute function end_access_by_old_email();

-- A removed account takes its links and sessions along.
create function withdraw_mails_of_removed_users() returns trigger language plpgsql as $$
begin
  perform withdraw_sign_in_mails(old, 'The account was removed before this was sent.');
  return null;
end $$;
create trigger withdraw_mails after delete on users
  for each row execute function withdraw_mails_of_removed_users();

-- What else waits for an attorney, such as a receipt, goes to where the attorney is reached now.
create function forward_mails_of_attorney() returns trigger language plpgsql as $$
begin
  update mails set recipient = new.email
  where network_id = old.network_id and recipient = old.email and status = 'queued'
    and position('/sign-in/link#' in body) = 0;
  return null;
end $$;
create trigger forward_mails after update of email on attorneys
  for each row when (new.email is distinct from old.email)
  execute function forward_mails_of_attorney();
