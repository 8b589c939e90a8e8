-- Payments and their shares of debits.

-- A payment's attorney and amount never change.
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

-- A payment's amount is the sum of its shares and credit, at the end of the transaction that makes it.
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

-- A share of a payment is reserved on its debit until it is decided. Shares never exceed their payment, so none can
-- be added to one that has them all. Per statement, not per row: a payment of many shares is checked once.
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

-- The allowed changes of a share.
create or replace function keep_share() returns trigger language plpgsql as $$
begin
  if (new.network_id, new.id, new.attorney_id, new.payment_id, new.debit_id, new.amount_cents, new.check_number)
      is distinct from
     (old.network_id, old.id, old.attorney_id, old.payment_id, old.debit_id, old.amount_cents, old.check_number) then
    raise exception 'A share of a payment never changes.' using errcode = 'restrict_violation';
  end if;
  if new.check_number is not null and (new.status in ('failed', 'charged_back') or old.status = 'refunded') then
    raise exception 'A check does not fail, nor can a refunded one be approved again.'
      using errcode = 'restrict_violation';
  end if;
  if new.check_number is null and new.status = 'returned' then
    raise exception 'A card payment is refunded, not returned.' using errcode = 'restrict_violation';
  end if;
  if (old.status || ' to ' || new.status) not in ('pending to approved', 'pending to denied',
      'approved to refunded', 'approved to failed', 'approved to charged_back', 'approved to returned',
      'refunded to approved', 'failed to approved', 'charged_back to approved')
    and (old.status <> 'approved' or new.status <> 'approved' or new.taken_back_cents = old.taken_back_cents)
  then
    raise exception 'A share of a payment cannot go from % to %.', old.status, new.status
      using errcode = 'restrict_violation';
  end if;
  return new;
end $$;

create or replace trigger keep before update on payment_allocations
  for each row execute function keep_share();

-- What each step writes in the book. An approved share pays its debit, minus what was reversed. A share that was
-- refunded, failed, charged back or returned pays nothing. The difference to before is an entry, from or to the
-- account of its money. A share that counts again is reserved first, like any share: the debit refuses more than
-- what is still owed and free. Per statement, since a check may have many shares; the settings keep the plan that
-- looks up each one by its key.
create or replace function decide_shares() returns trigger language plpgsql
  set enable_hashjoin = off set enable_mergejoin = off as $$
begin
  if exists (select from new_shares where status = 'denied') then
    update debits d set pending_cents = pending_cents - denied.amount_cents
    from (
      select network_id, debit_id, sum(amount_cents)::bigint as amount_cents
      from new_shares where status = 'denied' group by network_id, debit_id
    ) as denied
    where d.network_id = denied.network_id and d.id = denied.debit_id;
  end if;
  if exists (select from new_shares where status = 'approved' and check_number is null) then
    update debits d set pending_cents = pending_cents + again.amount_cents
    from (
      select s.network_id, s.debit_id, sum(s.amount_cents - s.taken_back_cents - paid.cents)::bigint as amount_cents
      from new_shares s
      cross join lateral (
        select sum(-e.owed_cents)::bigint as cents from entries e
        where e.network_id = s.network_id and e.allocation_id = s.id
      ) as paid
      where s.status = 'approved' and s.check_number is null and s.amount_cents - s.taken_back_cents > paid.cents
      group by s.network_id, s.debit_id
    ) as again
    where d.network_id = again.network_id and d.id = again.debit_id;
  end if;
  if exists (select from new_shares where status <> 'denied') then
    insert into entries (network_id, cause, from_account, to_account, amount_cents, day, attorney_id, debit_id,
      allocation_id, received_check_id, note, actor_user_id, created_at)
    select s.network_id, case when s.more_cents > 0 then 'payment' else 'reversal' end,
      case when s.more_cents > 0 then 'receivable' else s.account end,
      case when s.more_cents > 0 then s.account else 'receivable' end,
      abs(s.more_cents), (s.at at time zone n.time_zone)::date, s.attorney_id, s.debit_id, s.id, s.received_check_id,
      -- A reversal says why for good: the share may be paid again later.
      case when s.more_cents > 0 then ''
        else replace(case s.status when 'approved' then coalesce(s.taken_back_as, '') else s.status end, '_', ' ') end,
      s.decided_by, s.at
    from (
      select s.*, y.received_check_id,
        case when s.check_number is null then 'clearing:' || c.processor
          when s.status = 'approved' then 'undeposited' -- only a decided check is deposited
          else account_of_check(s.network_id, y.received_check_id) end as account,
        case when s.check_number is not null then case s.status when 'approved' then s.amount_cents else -s.amount_cents end
          else case s.status when 'approved' then s.amount_cents - s.taken_back_cents else 0 end - (
            select coalesce(sum(-e.owed_cents), 0)::bigint from entries e
            where e.network_id = s.network_id and e.allocation_id = s.id) end as more_cents,
        -- A check of an earlier year, as a demonstration has them, was recorded when it was decided.
        case when s.status = 'approved' and s.check_number is not null then s.decided_at else clock() end as at
      from new_shares s
      join payments y on y.network_id = s.network_id and y.id = s.payment_id
      left join card_payments c on c.network_id = s.network_id and c.payment_id = s.payment_id
      where s.status <> 'denied'
    ) as s
    join networks n on n.id = s.network_id
    where s.more_cents <> 0
    order by s.id;
  end if;
  return null;
end $$;

create or replace trigger decide after update on payment_allocations
  referencing new table as new_shares for each statement execute function decide_shares();
