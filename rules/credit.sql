-- Credit changes only through its entries.
create or replace function keep_credit() returns trigger language plpgsql as $$
begin
  if tg_op = 'DELETE' or pg_trigger_depth() < 2
    or (new.network_id, new.id, new.attorney_id, new.payment_id, new.amount_cents)
      is distinct from (old.network_id, old.id, old.attorney_id, old.payment_id, old.amount_cents) then
    raise exception 'Credit changes through its entries, and only so.' using errcode = 'restrict_violation';
  end if;
  return new;
end $$;

create or replace trigger keep before update or delete on credits for each row execute function keep_credit();

-- Credit starts at zero. Its amount comes from its entries.
create or replace function begin_credit() returns trigger language plpgsql as $$
begin
  if new.left_cents <> 0 then
    raise exception 'Credit changes through its entries, and only so.' using errcode = 'restrict_violation';
  end if;
  return new;
end $$;

create or replace trigger begin before insert on credits for each row execute function begin_credit();

-- When its transaction ends, all of it has been received, by one entry that says from where.
create or replace function check_received_credit() returns trigger language plpgsql as $$
begin
  if not exists (
    select from entries
    where network_id = new.network_id and credit_id = new.id and cause = 'credit_received'
      and amount_cents = new.amount_cents
  ) then
    raise exception 'Credit is received by an entry of its amount.' using errcode = 'check_violation';
  end if;
  return null;
end $$;

create constraint trigger received_whole after insert on credits deferrable initially deferred
  for each row execute function check_received_credit();

-- A check's credit counts once the check is decided and any of it was approved.
create or replace function receive_credit() returns trigger language plpgsql as $$
begin
  with received as (
    insert into credits (network_id, attorney_id, payment_id, amount_cents)
    select network_id, attorney_id, id, credit_cents from payments
    where network_id = new.network_id and received_check_id = new.id and credit_cents > 0
    order by id
    returning *
  )
  insert into entries (network_id, cause, from_account, to_account, amount_cents, day, attorney_id, credit_id,
    received_check_id, note, actor_user_id)
  select network_id, 'credit_received', 'credit', 'undeposited', amount_cents, network_day(network_id), attorney_id, id,
    new.id, 'Check ' || new.check_number, new.decided_by
  from received;
  return null;
end $$;

create or replace trigger receive_credit after update of status on received_checks
 
  for each row when (old.status = 'pending' and new.status in ('approved', 'mixed'))
  execute function receive_credit();

-- A returned check's credit and approved shares are gone when its transaction ends.
create or replace function check_returned_credit() returns trigger language plpgsql as $$
begin
  if exists (
    select from payments p
    join credits c on c.network_id = p.network_id and c.payment_id = p.id
    where p.network_id = new.network_id and p.received_check_id = new.id and c.left_cents <> 0
  ) or exists (
    select from payments p
    join payment_allocations s on s.network_id = p.network_id and s.payment_id = p.id
    where p.network_id = new.network_id and p.received_check_id = new.id and s.status in ('pending', 'approved')
  ) then
    raise exception 'A returned check leaves neither approved shares nor credit.'
      using errcode = 'check_violation';
  end if;
  return null;
end $$;

create constraint trigger returned_whole after update on received_checks deferrable initially deferred
 
  for each row when (new.status = 'returned' and old.status <> 'returned')
  execute function check_returned_credit();
