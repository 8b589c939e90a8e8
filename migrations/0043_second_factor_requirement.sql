-- Since when a network's administrators must have a second factor; null where they need none. Each has
-- seven days for it, from then or from when the account was made.
alter table networks add column second_factor_required_since timestamptz;

-- Whoever has given the right password and owes a code is looked up by both.
create index verifications_by_identifier on verifications (identifier);
create index verifications_by_value on verifications (value);

-- A sign-in that waits for its code ends with what it began with: another password, another email
-- address, the authenticator app taken away, by whomever and in whatever way. The trigger's argument is
-- the column that holds the account.
create function end_waiting_sign_ins() returns trigger language plpgsql as $$
begin
  -- The same password, stored in a newer way (accounts.ts).
  if tg_table_name = 'accounts' and current_setting('referral_network.same_password', true) = 'yes' then
    return null;
  end if;
  delete from verifications
  where value = to_jsonb(old) ->> tg_argv[0]
    and identifier like '2fa-%' and identifier not like '2fa-attempts-%'; -- whose value is a count
  return null;
end $$;
create trigger end_waiting_sign_ins after update of password on accounts
  for each row when (new.password is distinct from old.password)
  execute function end_waiting_sign_ins('user_id');
create trigger end_waiting_sign_ins after update of email on users
  for each row when (new.email is distinct from old.email)
  execute function end_waiting_sign_ins('id');
create trigger end_waiting_sign_ins after delete on two_factors
  for each row execute function end_waiting_sign_ins('user_id');
