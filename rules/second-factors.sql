-- An account has a second factor while it has a confirmed authenticator app or a passkey.

-- Records on the account whether it has one, however it was added or removed. Of two changes at the same moment,
-- the later one counts what the earlier one left: removing an app while adding a passkey leaves a second factor,
-- removing both leaves none.
create or replace function count_second_factors() returns trigger language plpgsql as $$
declare
  changed users.id%type := coalesce(new.user_id, old.user_id);
begin
  perform from users where id = changed for no key update;
  update users u set two_factor_enabled = has.one
  from (select exists (select from two_factors where user_id = changed and verified)
    or exists (select from passkeys where user_id = changed) as one) as has
  where u.id = changed and u.two_factor_enabled <> has.one;
  return null;
end $$;

create or replace trigger count_second_factors after insert or update of verified or delete on two_factors
  for each row execute function count_second_factors();
create or replace trigger count_second_factors after insert or delete on passkeys
  for each row execute function count_second_factors();

-- A sign-in that waits for its code ends if its basis changes: a new password, a new email address, or the
-- authenticator app removed. The trigger's argument is the column with the account.
create or replace function end_waiting_sign_ins() returns trigger language plpgsql as $$
begin
  -- The same password, stored in a newer format (accounts.ts).
  if tg_table_name = 'accounts' and current_setting('referral_network.same_password', true) = 'yes' then
    return null;
  end if;
  delete from verifications
  where value = to_jsonb(old) ->> tg_argv[0]
    and identifier like '2fa-%' and identifier not like '2fa-attempts-%'; -- whose value is a count
  return null;
end $$;

create or replace trigger end_waiting_sign_ins after update of password on accounts
 
  for each row when (new.password is distinct from old.password)
  execute function end_waiting_sign_ins('user_id');
create or replace trigger end_waiting_sign_ins after update of email on users
  for each row when (new.email is distinct from old.email) execute function end_waiting_sign_ins('id');
create or replace trigger end_waiting_sign_ins after delete on two_factors
  for each row execute function end_waiting_sign_ins('user_id');

-- A link to choose a password was issued when signing in also took the factor. Without the factor, the link must
-- not be enough.
create or replace function end_links_without_factor() returns trigger language plpgsql as $$
begin
  update sign_in_links set used_at = now()
  where network_id = old.network_id and user_id = old.user_id and used_at is null;
  return null;
end $$;

create or replace trigger end_links after delete on two_factors
  for each row execute function end_links_without_factor();
create or replace trigger end_links after delete on passkeys
  for each row execute function end_links_without_factor();

-- Each chosen password has an id, by which a browser stays known for the account. The same password in a newer
-- format (src/access/sign-in/accounts.ts) keeps it.
create or replace function renew_password_id() returns trigger language plpgsql as $$
begin
  if current_setting('referral_network.same_password', true) is distinct from 'yes' then
    new.password_id := gen_random_uuid();
  end if;
  return new;
end $$;

create or replace trigger renew_password_id before update of password on accounts
  for each row when (new.password is distinct from old.password) execute function renew_password_id();

-- An account is in use once a password was chosen or a passkey added, and stays so. For seven days after its
-- password changed, no administrator can remove the second factor.
create or replace function note_chosen_password() returns trigger language plpgsql as $$
declare
  -- Not after a return to the panel, which has ended the password before.
  replaces constant boolean := tg_op = 'INSERT' or old.password is not null;
begin
  -- The same password, stored in a newer format (accounts.ts).
  if current_setting('referral_network.same_password', true) = 'yes' then
    return null;
  end if;
  update users set in_use_since = coalesce(in_use_since, now()),
    password_changed_at = case when in_use_since is null or not replaces then password_changed_at else now() end
  where id = new.user_id;
  return null;
end $$;

create or replace trigger note_chosen after insert on accounts
  for each row when (new.password is not null) execute function note_chosen_password();
create or replace trigger note_changed after update of password on accounts
 
  for each row when (new.password is distinct from old.password and new.password is not null)
  execute function note_chosen_password();

create or replace function note_first_passkey() returns trigger language plpgsql as $$
begin
  update users set in_use_since = now() where id = new.user_id and in_use_since is null;
  return null;
end $$;

create or replace trigger note_first after insert on passkeys
  for each row execute function note_first_passkey();

-- The same seven days, after its email address changed.
create or replace function note_changed_email() returns trigger language plpgsql as $$
begin
  new.email_changed_at := now();
  return new;
end $$;

create or replace trigger note_changed_email before update of email on users
 
  for each row when (new.email is distinct from old.email and new.in_use_since is not null)
  execute function note_changed_email();
