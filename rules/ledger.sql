-- A debit changes only through its entries and shares.
create or replace function keep_debit() returns trigger language plpgsql as $$
begin
  if tg_op = 'DELETE' or pg_trigger_depth() < 2 then
    raise exception 'A debit changes through its ledger entries and payments, and only so.'
      using errcode = 'restrict_violation';
  end if;
  return new;
end $$;

create or replace trigger keep before update or delete on debits for each row execute function keep_debit();

-- A debit is charged on the day on which it was made, which is today but in a demonstration.
create or replace function charge_new_debits() returns trigger language plpgsql as $$
declare
  debits bigint;
  wrong bigint;
begin
  select count(*), count(*) filter (where balance_cents <> amount_cents or pending_cents <> 0)
  into debits, wrong from new_debits;
  if wrong > 0 then
    raise exception 'A debit begins with its whole amount owed and nothing pending.'
      using errcode = 'restrict_violation';
  end if;
  if debits >= 1000 then
    perform analyze_referred('debits', debits);
  end if;
  insert into ledger_entries (network_id, debit_id, kind, amount_cents, actor_user_id, created_at)
  select network_id, id, 'charge', amount_cents, created_by, created_at from new_debits;
  return null;
end $$;

create or replace trigger charge after insert on debits
  referencing new table as new_debits for each statement execute function charge_new_debits();

-- Later entries move the balance; a payment's entry also ends the reservation of its share.
create or replace function post_ledger_entry() returns trigger language plpgsql as $$
begin
  update debits
  set balance_cents = balance_cents + new.amount_cents,
      pending_cents = pending_cents + case new.kind when 'payment' then new.amount_cents else 0 end
  where network_id = new.network_id and id = new.debit_id;
  return null;
end $$;

create or replace trigger post after insert on ledger_entries
  for each row when (new.kind not in ('charge', 'credit')) execute function post_ledger_entry();
