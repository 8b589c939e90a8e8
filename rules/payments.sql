-- Entries of payments are written by decide_share, inside the statement that decides a share, and by
-- nothing else: one written by hand would lower a balance while its share still counts as pending.
create or replace function refuse_loose_payment() returns trigger language plpgsql as $$
begin
  if pg_trigger_depth() < 2 then
    raise exception 'A payment is posted by deciding its share, and only so.'
      using errcode = 'restrict_violation';
  end if;
  return new;
end $$;

create or replace trigger posted_by_decision before insert on ledger_entries
  for each row when (new.kind in ('payment', 'reversal', 'credit')) execute function refuse_loose_payment();

-- A payment is for one attorney, and of one amount, for good.
create or replace function keep_payment() returns trigger language plpgsql as $$
begin
  if (new.network_id, new.id, new.attorney_id, new.method, new.amount_cents, new.credit_cents,
      new.check_number, new.received_check_id)
      is distinct from
     (old.network_id, old.id, old.attorney_id, old.method, old.amount_cents, old.credit_cents,
      old.check_number, old.received_check_id) then
    raise exception 'A payment never changes its attorney, amount or check.' using errcode = 'restrict_violation';
  end if;
  return new;
end $$;

create or replace trigger keep before update on payments for each row execute function keep_payment();

-- A payment's amount is that of its shares and its credit, at the end of the transaction that makes it.
create or replace function check_payment_sum() returns trigger language plpgsql as $$
begin
  if new.amount_cents - new.credit_cents is distinct from (
    select coalesce(sum(amount_cents), 0) from payment_allocations
    where network_id = new.network_id and payment_id = new.id) then
    raise exception 'A payment''s amount must be the sum of its shares.' using errcode = 'check_violation';
  end if;
  return null;
end $$;

create constraint trigger sum_of_shares after insert on payments deferrable initially deferred
  for each row when (new.received_check_id is null) execute function check_payment_sum();

-- A share of a payment is reserved on its debit until it is decided. Shares never come to more than
-- their payment, so none can be added to one that has them all. By the statement, not by the row: a
-- payment of many shares is looked at once.
create or replace function reserve_shares() returns trigger language plpgsql as $$
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
    where p.amount_cents - p.credit_cents < (
      select sum(s.amount_cents) from payment_allocations s
      where s.network_id = p.network_id and s.payment_id = p.id)
  ) then
    raise exception 'A payment''s amount must be the sum of its shares.' using errcode = 'check_violation';
  end if;
  return null;
end $$;

create or replace trigger reserve after insert on payment_allocations
  referencing new table as new_shares for each statement execute function reserve_shares();

-- What can become of a share, and what each step writes in the ledger.
create or replace function decide_share() returns trigger language plpgsql as $$
begin
  if (new.network_id, new.id, new.attorney_id, new.payment_id, new.debit_id, new.amount_cents, new.check_number)
      is distinct from
     (old.network_id, old.id, old.attorney_id, old.payment_id, old.debit_id, old.amount_cents, old.check_number) then
    raise exception 'A share of a payment never changes.' using errcode = 'restrict_violation';
  end if;
  if new.check_number is not null and (new.status = 'failed' or old.status = 'refunded') then
    raise exception 'A check does not fail, nor can a refunded one be approved again.'
      using errcode = 'restrict_violation';
  end if;
  if new.check_number is null and new.status = 'returned' then
    raise exception 'A card payment is refunded, not returned.' using errcode = 'restrict_violation';
  end if;
  case old.status || ' to ' || new.status
    when 'pending to approved' then
      -- A check of an earlier year, as a demonstration has them, was recorded when it was decided.
      insert into ledger_entries
        (network_id, debit_id, kind, amount_cents, allocation_id, actor_user_id, created_at)
      values (new.network_id, new.debit_id, 'payment', -new.amount_cents, new.id, new.decided_by,
        case when new.check_number is null then now() else new.decided_at end);
    when 'pending to denied' then
      update debits set pending_cents = pending_cents - new.amount_cents
      where network_id = new.network_id and id = new.debit_id;
    when 'approved to refunded', 'approved to failed', 'approved to returned' then
      insert into ledger_entries (network_id, debit_id, kind, amount_cents, allocation_id, actor_user_id)
      values (new.network_id, new.debit_id, 'reversal', new.amount_cents, new.id, new.decided_by);
    when 'refunded to approved', 'failed to approved' then
      -- Reserved first, as any share is: more than what is still owed and free is refused by the debit.
      update debits set pending_cents = pending_cents + new.amount_cents
      where network_id = new.network_id and id = new.debit_id;
      insert into ledger_entries (network_id, debit_id, kind, amount_cents, allocation_id, actor_user_id)
      values (new.network_id, new.debit_id, 'payment', -new.amount_cents, new.id, new.decided_by);
    else
      raise exception 'A share of a payment cannot go from % to %.', old.status, new.status
        using errcode = 'restrict_violation';
  end case;
  return null;
end $$;

create or replace trigger decide after update on payment_allocations
  for each row execute function decide_share();
