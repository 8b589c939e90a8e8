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

-- Credit is received by its check being approved, and only so.
create or replace function begin_credit() returns trigger language plpgsql as $$
begin
  if new.left_cents <> 0 or pg_trigger_depth() < 2 then
    raise exception 'Credit is received when its check is approved, and only so.'
      using errcode = 'restrict_violation';
  end if;
  return new;
end $$;

create or replace trigger begin before insert on credits for each row execute function begin_credit();

-- An entry of credit changes what is left, and that of a debit changes what is owed. The settings keep the plan that
-- looks each row up by its key, however many there are.
create or replace function post_credit_entries() returns trigger language plpgsql
  set enable_nestloop = on set enable_hashjoin = off set enable_mergejoin = off set enable_seqscan = off as $$
begin
  update credits c set left_cents = left_cents + moved.amount_cents
  from (
    select network_id, credit_id, sum(amount_cents)::bigint as amount_cents
    from new_entries group by network_id, credit_id
  ) as moved
  where c.network_id = moved.network_id and c.id = moved.credit_id;
  if not exists (select from new_entries where debit_id is not null) then
    return null;
  end if;
  insert into ledger_entries (network_id, debit_id, kind, amount_cents, credit_entry_id, actor_user_id, created_at)
  select network_id, debit_id, 'credit', amount_cents, id, actor_user_id, created_at
  from new_entries where debit_id is not null order by id;
  update debits d set balance_cents = balance_cents + moved.amount_cents
  from (
    select network_id, debit_id, sum(amount_cents)::bigint as amount_cents
    from new_entries where debit_id is not null group by network_id, debit_id
  ) as moved
  where d.network_id = moved.network_id and d.id = moved.debit_id;
  return null;
end $$;

create or replace trigger post after insert on credit_entries
  referencing new table as new_entries for each statement execute function post_credit_entries();

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
  insert into credit_entries (network_id, attorney_id, credit_id, kind, amount_cents, cause, actor_user_id)
  select network_id, attorney_id, id, 'received', amount_cents, 'Check ' || new.check_number, new.decided_by
  from received;
  return null;
end $$;

create or replace trigger receive_credit after update of status on received_checks
 
  for each row when (old.status = 'pending' and new.status in ('approved', 'mixed'))
  execute function receive_credit();

-- What a returned check brought is gone when its transaction ends.
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
