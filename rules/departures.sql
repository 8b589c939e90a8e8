-- What is refused for an attorney after the departure, and what ends with it (domain rules §9). A refusal names its
-- constraint in the message too: some poolers and proxies hand on nothing but the message.

create or replace function refuse_enrolling_departed() returns trigger language plpgsql as $$
begin
  if exists (select from new_rows where (network_id, attorney_id) in (
      select network_id, id from attorneys where left_on is not null)) then
    raise exception 'An attorney who has left the panel is enrolled in nothing: constraint "enrolments_of_departed".'
      using errcode = 'restrict_violation', constraint = 'enrolments_of_departed';
  end if;
  return null;
end $$;

create or replace trigger refuse_departed after insert on enrolments
  referencing new table as new_rows for each statement execute function refuse_enrolling_departed();

-- An import may include referrals that were closed earlier. They are not new.
create or replace function refuse_referring_to_departed() returns trigger language plpgsql as $$
begin
  if exists (select from new_rows where ended_at is null and (network_id, attorney_id) in (
      select network_id, id from attorneys where left_on is not null)) then
    raise exception 'An attorney who has left the panel gets no referral: constraint "referrals_of_departed".'
      using errcode = 'restrict_violation', constraint = 'referrals_of_departed';
  end if;
  return null;
end $$;

create or replace trigger refuse_departed after insert on matter_referrals
  referencing new table as new_rows for each statement execute function refuse_referring_to_departed();

create or replace function refuse_session_of_departed() returns trigger language plpgsql as $$
begin
  if exists (select from users u join attorneys a on a.network_id = u.network_id and a.id = u.attorney_id
      where u.id = new.user_id and a.left_on is not null) then
    raise exception 'The account of an attorney who has left the panel is shut: constraint "sessions_of_departed".'
      using errcode = 'restrict_violation', constraint = 'sessions_of_departed';
  end if;
  return null;
end $$;

create or replace trigger refuse_departed after insert on sessions
  for each row execute function refuse_session_of_departed();

-- Sessions and links end, and no more mail about duties or dues is sent.
create or replace function shut_account_of_departed() returns trigger language plpgsql as $$
declare
  account users;
begin
  if exists (select from enrolments
      where network_id = new.network_id and attorney_id = new.id and archived_at is null) then
    raise exception 'An attorney who leaves the panel must be enrolled in nothing.' using errcode = 'restrict_violation';
  end if;
  select * into account from users where network_id = new.network_id and attorney_id = new.id for update;
  if found then
    delete from sessions where network_id = account.network_id and user_id = account.id;
    update sign_in_links set used_at = now()
    where network_id = account.network_id and user_id = account.id and used_at is null;
    perform withdraw_sign_in_mails(account, 'The attorney has left the panel.');
  end if;
  update mails set status = 'withdrawn', last_problem = 'The attorney has left the panel.'
  where network_id = new.network_id and attorney_id = new.id and status = 'queued'
    and facts ->> 'kind' in ('reports due', 'suspension warning', 'suspended', 'suspension lifted', 'dues reminder', 'statement');
  return null;
end $$;

create or replace trigger shut_account after update of left_on on attorneys
 
  for each row when (new.left_on is not null and old.left_on is null)
  execute function shut_account_of_departed();

-- An attorney who returns must choose a new password: neither the old one nor a passkey works. An authenticator app
-- stays.
create or replace function end_credentials_of_returned() returns trigger language plpgsql as $$
declare
  account users.id%type;
begin
  select id into account from users where network_id = new.network_id and attorney_id = new.id for update;
  if found then
    update accounts set password = null where network_id = new.network_id and user_id = account;
    delete from passkeys where network_id = new.network_id and user_id = account;
  end if;
  return null;
end $$;

create or replace trigger end_credentials after update of left_on on attorneys
 
  for each row when (new.left_on is null and old.left_on is not null)
  execute function end_credentials_of_returned();
