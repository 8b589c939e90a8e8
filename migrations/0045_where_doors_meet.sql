-- Of two changes at the same moment the later one counts what the earlier one left: one app removed while a
-- passkey is added is a second factor, and both removed at once are none.
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

-- Another one for each password that is chosen, the same while it is only stored in a newer way (accounts.ts):
-- by it a browser stays known for the account.
alter table accounts add column password_id uuid not null default gen_random_uuid();
create function renew_password_id() returns trigger language plpgsql as $$
begin
  if current_setting('referral_network.same_password', true) is distinct from 'yes' then
    new.password_id := gen_random_uuid();
  end if;
  return new;
end $$;
create trigger renew_password_id before update of password on accounts
  for each row when (new.password is distinct from old.password)
  execute function renew_password_id();
