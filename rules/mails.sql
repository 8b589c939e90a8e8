-- Mail for an attorney goes to the address that the attorney has when it is sent.
create or replace function forward_mails_of_attorney() returns trigger language plpgsql as $$
begin
  update mails set recipient = new.email
  where network_id = old.network_id and attorney_id = old.id and status = 'queued';
  return null;
end $$;

create or replace trigger forward_mails after update of email on attorneys
  for each row when (new.email is distinct from old.email) execute function forward_mails_of_attorney();

-- Single-use links are for the person, not for anyone with the mailbox: waiting mail with one is not sent to an
-- address that the account no longer has. The code is removed too, as in `withoutLinks`.
create or replace function withdraw_sign_in_mails(account users, reason text) returns void language sql as $$
  update mails
  set status = 'withdrawn', last_problem = reason,
    body = regexp_replace(body, '(/sign-in/link#)[[:alnum:]_-]+', '\1…', 'g')
  where network_id = account.network_id and user_id = account.id and status = 'queued'
    and position('/sign-in/link#' in body) > 0
$$;

-- The account is gone, and its mails no longer refer to it. Few are waiting at any time.
create or replace function withdraw_mails_of_removed_users() returns trigger language plpgsql as $$
begin
  update mails
  set status = 'withdrawn', last_problem = 'The account was removed before this was sent.',
    body = regexp_replace(body, '(/sign-in/link#)[[:alnum:]_-]+', '\1…', 'g')
  where network_id = old.network_id and (user_id = old.id or user_id is null) and recipient = old.email
    and status = 'queued' and position('/sign-in/link#' in body) > 0;
  return null;
end $$;

create or replace trigger withdraw_mails after delete on users
  for each row execute function withdraw_mails_of_removed_users();
