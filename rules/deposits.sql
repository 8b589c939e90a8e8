-- A deposit can change until it is banked.
create or replace function keep_deposit() returns trigger language plpgsql as $$
begin
  if old.banked_at is not null
    or (new.network_id, new.id, new.number) is distinct from (old.network_id, old.id, old.number) then
    raise exception 'A banked deposit stays as it is.' using errcode = 'restrict_violation';
  end if;
  return new;
end $$;

create or replace trigger keep before update on deposits for each row execute function keep_deposit();

-- Where a check's money is: in the bank once its deposit is banked, otherwise among the checks to deposit.
create or replace function account_of_check(network bigint, check_id bigint) returns text
  language sql stable
  return coalesce((
    select 'bank:' || t.account_name from received_checks c
    join deposits t on t.network_id = c.network_id and t.id = c.deposit_id and t.banked_at is not null
    where c.network_id = network and c.id = check_id), 'undeposited');

-- A banked deposit moves its checks' money to the bank, on the day that the bank has them, except checks returned
-- before. The denied part of a check is also in the bank: it is held for its payer.
create or replace function bank_deposit() returns trigger language plpgsql as $$
begin
  insert into entries (network_id, cause, from_account, to_account, amount_cents, day, deposit_id, note, actor_user_id)
  select new.network_id, 'deposit', 'undeposited', 'bank:' || new.account_name, sum(amount_cents)::bigint,
    new.banked_on, new.id, count(*) || case count(*) when 1 then ' check' else ' checks' end, new.banked_by
  from received_checks
  where network_id = new.network_id and deposit_id = new.id and status <> 'returned'
  having count(*) > 0;
  insert into entries (network_id, cause, from_account, to_account, amount_cents, day, attorney_id, received_check_id,
    deposit_id, note, actor_user_id)
  select c.network_id, 'held', 'held', 'undeposited', sum(s.amount_cents)::bigint, new.banked_on, c.attorney_id, c.id,
    new.id, 'Denied part of a deposited check', new.banked_by
  from received_checks c
  join payments y on y.network_id = c.network_id and y.received_check_id = c.id
  join payment_allocations s on s.network_id = y.network_id and s.payment_id = y.id and s.status = 'denied'
  where c.network_id = new.network_id and c.deposit_id = new.id and c.status = 'mixed'
  group by c.network_id, c.id
  order by c.id;
  return null;
end $$;

create or replace trigger bank after update on deposits
  for each row when (old.banked_at is null and new.banked_at is not null) execute function bank_deposit();

-- A returned check takes from the bank what is held from it, and what had been refunded, from held money and
-- credit. Its shares and the rest of its credit are reversed by entries of their own.
create or replace function return_check() returns trigger language plpgsql as $$
declare
  account text := account_of_check(new.network_id, new.id);
begin
  insert into entries (network_id, cause, from_account, to_account, amount_cents, day, attorney_id, received_check_id,
    note, actor_user_id)
  select new.network_id, moved.cause, account, moved.to_account, moved.amount_cents, network_day(new.network_id),
    new.attorney_id, new.id, moved.note, new.returned_by
  from (
    select 'held_reversed' as cause, 'held' as to_account, 'Denied part of a returned check' as note,
      sum(case from_account when 'held' then amount_cents else -amount_cents end)::bigint as amount_cents
    from entries
    where network_id = new.network_id and received_check_id = new.id and 'held' in (from_account, to_account)
    union all
    select 'return_charged', 'other_income', 'Credit of a returned check that was given back', sum(e.amount_cents)::bigint
    from payments y
    join credits k on k.network_id = y.network_id and k.payment_id = y.id
    join entries e on e.network_id = k.network_id and e.credit_id = k.id and e.cause = 'credit_given_back'
    where y.network_id = new.network_id and y.received_check_id = new.id
    union all
    select 'return_charged', 'other_income', 'Denied part of a returned check that was given back', amount_cents
    from entries
    where network_id = new.network_id and received_check_id = new.id and cause = 'held_given_back' and to_account = 'held'
  ) as moved
  where moved.amount_cents > 0
  order by moved.cause;
  return null;
end $$;

create or replace trigger return_check after update on received_checks
  for each row when (new.status = 'returned' and old.status <> 'returned') execute function return_check();
