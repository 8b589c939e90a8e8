-- The ledger keeps itself: each fact below is written by the database in the statement that causes
-- it, so that no code path, this product's or an operator's, can leave a balance without its entries.

-- A debit is charged as it is made, its whole amount owed and nothing pending. The unique index on
-- charges then refuses any other charge.
create function charge_new_debits() returns trigger language plpgsql as $$
begin
  if exists (select 1 from new_debits where balance_cents <> amount_cents or pending_cents <> 0) then
    raise exception 'A debit begins with its whole amount owed and nothing pending.'
      using errcode = 'restrict_violation';
  end if;
  insert into ledger_entries (network_id, debit_id, kind, amount_cents, actor_user_id)
  select network_id, id, 'charge', amount_cents, created_by from new_debits;
  return null;
end $$;
create trigger charge after insert on debits referencing new table as new_debits
  for each statement execute function charge_new_debits();

-- Later entries move the balance; a payment's entry also ends the reservation of its share.
create function post_ledger_entry() returns trigger language plpgsql as $$
begin
  update debits
  set balance_cents = balance_cents + new.amount_cents,
      pending_cents = pending_cents + case new.kind when 'payment' then new.amount_cents else 0 end
  where network_id = new.network_id and id = new.debit_id;
  return null;
end $$;
create trigger post after insert on ledger_entries
  for each row when (new.kind <> 'charge') execute function post_ledger_entry();

-- Debits change through their entries and shares alone.
create function keep_debit() returns trigger language plpgsql as $$
begin
  if tg_op = 'DELETE' or pg_trigger_depth() < 2 then
    raise exception 'A debit changes through its ledger entries and payments, and only so.'
      using errcode = 'restrict_violation';
  end if;
  return new;
end $$;
create trigger keep before update or delete on debits for each row execute function keep_debit();
create trigger keep_truncate before truncate on debits for each statement execute function refuse_change();

-- A share of a payment is reserved on its debit until it is decided, and decided once.
create function reserve_share() returns trigger language plpgsql as $$
begin
  if new.status <> 'pending' then
    raise exception 'A share of a payment begins pending.' using errcode = 'restrict_violation';
  end if;
  update debits set pending_cents = pending_cents + new.amount_cents
  where network_id = new.network_id and id = new.debit_id;
  return null;
end $$;
create trigger reserve after insert on payment_allocations
  for each row execute function reserve_share();

create function decide_share() returns trigger language plpgsql as $$
begin
  if (new.network_id, new.id, new.attorney_id, new.payment_id, new.debit_id, new.amount_cents, new.check_number)
      is distinct from
     (old.network_id, old.id, old.attorney_id, old.payment_id, old.debit_id, old.amount_cents, old.check_number) then
    raise exception 'A share of a payment never changes.' using errcode = 'restrict_violation';
  end if;
  case old.status || ' to ' || new.status
    when 'pending to approved' then
      insert into ledger_entries (network_id, debit_id, kind, amount_cents, allocation_id, actor_user_id)
      values (new.network_id, new.debit_id, 'payment', -new.amount_cents, new.id, new.decided_by);
    when 'pending to denied' then
      update debits set pending_cents = pending_cents - new.amount_cents
      where network_id = new.network_id and id = new.debit_id;
    when 'approved to refunded' then
      insert into ledger_entries (network_id, debit_id, kind, amount_cents, allocation_id, actor_user_id)
      values (new.network_id, new.debit_id, 'reversal', new.amount_cents, new.id, new.decided_by);
    else
      raise exception 'A share of a payment cannot go from % to %.', old.status, new.status
        using errcode = 'restrict_violation';
  end case;
  return null;
end $$;
create trigger decide after update on payment_allocations
  for each row execute function decide_share();
create trigger never_deleted before delete on payment_allocations
  for each row execute function refuse_change();
create trigger never_truncated before truncate on payment_allocations
  for each statement execute function refuse_change();

create function keep_payment() returns trigger language plpgsql as $$
begin
  if (new.network_id, new.id, new.attorney_id, new.method, new.amount_cents, new.check_number)
      is distinct from (old.network_id, old.id, old.attorney_id, old.method, old.amount_cents, old.check_number) then
    raise exception 'A payment never changes its attorney, amount or check.' using errcode = 'restrict_violation';
  end if;
  return new;
end $$;
create trigger keep before update on payments for each row execute function keep_payment();
create trigger never_deleted before delete on payments for each row execute function refuse_change();

-- A payment's amount is the sum of its shares, at the end of each transaction that adds to either.
create function check_payment_sum() returns trigger language plpgsql as $$
declare
  paid_id bigint := case tg_table_name when 'payments' then new.id else (to_jsonb(new) ->> 'payment_id')::bigint end;
begin
  if (select amount_cents from payments where network_id = new.network_id and id = paid_id) is distinct from
     (select sum(amount_cents) from payment_allocations where network_id = new.network_id and payment_id = paid_id) then
    raise exception 'A payment''s amount must be the sum of its shares.' using errcode = 'check_violation';
  end if;
  return null;
end $$;
create constraint trigger sum_of_shares after insert on payments deferrable initially deferred
  for each row execute function check_payment_sum();
create constraint trigger sum_of_shares after insert on payment_allocations deferrable initially deferred
  for each row execute function check_payment_sum();
