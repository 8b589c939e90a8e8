-- Shares are reserved a statement at a time, and the sum is looked at once a payment: before, each
-- share of a payment was a call of two functions, one of which read all the others.
drop trigger reserve on payment_allocations;
drop trigger sum_of_shares on payment_allocations;
drop trigger sum_of_shares on payments;
drop function reserve_share();
drop function check_payment_sum();

-- A share of a payment is reserved on its debit until it is decided. Shares never come to more than
-- their payment, so none can be added to one that has them all.
create function reserve_shares() returns trigger language plpgsql as $$
begin
  if exists (select from new_shares where status <> 'pending') then
    raise exception 'A share of a payment begins pending.' using errcode = 'restrict_violation';
  end if;
  update debits d set pending_cents = pending_cents + reserved.amount_cents
  from (
    select network_id, debit_id, sum(amount_cents)::bigint as amount_cents
    from new_shares group by network_id, debit_id
  ) as reserved
  where d.network_id = reserved.network_id and d.id = reserved.debit_id;
  if exists (
    select from (select distinct network_id, payment_id from new_shares) as touched
    join payments p on p.network_id = touched.network_id and p.id = touched.payment_id
    where p.amount_cents < (
      select sum(s.amount_cents) from payment_allocations s
      where s.network_id = p.network_id and s.payment_id = p.id)
  ) then
    raise exception 'A payment''s amount must be the sum of its shares.' using errcode = 'check_violation';
  end if;
  return null;
end $$;
create trigger reserve after insert on payment_allocations referencing new table as new_shares
  for each statement execute function reserve_shares();

-- Nor less, at the end of the transaction that makes the payment. Neither amount ever changes.
create function check_payment_sum() returns trigger language plpgsql as $$
begin
  if new.amount_cents is distinct from (
    select sum(amount_cents) from payment_allocations
    where network_id = new.network_id and payment_id = new.id) then
    raise exception 'A payment''s amount must be the sum of its shares.' using errcode = 'check_violation';
  end if;
  return null;
end $$;
create constraint trigger sum_of_shares after insert on payments deferrable initially deferred
  for each row execute function check_payment_sum();
