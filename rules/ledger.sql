-- A debit changes only through its entries and shares.
create or replace function keep_debit() returns trigger language plpgsql as $$
begin
  if tg_op = 'DELETE' or pg_trigger_depth() < 2 then
    raise exception 'A debit changes through its entries and payments, and only so.'
      using errcode = 'restrict_violation';
  end if;
  return new;
end $$;

create or replace trigger keep before update or delete on debits for each row execute function keep_debit();

-- A debit is charged on the day on which it was made: today, except in a demo.
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
  insert into entries (network_id, cause, from_account, to_account, amount_cents, day, attorney_id, debit_id,
    actor_user_id, created_at)
  select d.network_id, 'charge', d.income_account, 'receivable', d.amount_cents,
    (d.created_at at time zone n.time_zone)::date, d.attorney_id, d.id, d.created_by, d.created_at
  from new_debits d join networks n on n.id = d.network_id;
  return null;
end $$;

create or replace trigger charge after insert on debits
  referencing new table as new_debits for each statement execute function charge_new_debits();
