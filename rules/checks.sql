-- What was received never changes. A check's status follows from its shares.
create or replace function keep_received_check() returns trigger language plpgsql as $$
begin
  if (new.network_id, new.id, new.attorney_id, new.firm_id, new.check_number, new.amount_cents,
      new.received_on, new.is_whole, new.created_by, new.created_at)
      is distinct from
     (old.network_id, old.id, old.attorney_id, old.firm_id, old.check_number, old.amount_cents,
      old.received_on, old.is_whole, old.created_by, old.created_at) then
    raise exception 'A received check never changes.' using errcode = 'restrict_violation';
  end if;
  if new.status <> old.status then
    if (old.status || ' to ' || new.status) not in ('pending to approved', 'pending to denied',
      'pending to mixed', 'approved to returned', 'mixed to returned') then
      raise exception 'A check cannot go from % to %.', old.status, new.status
        using errcode = 'restrict_violation';
    end if;
    if status_of_check(new.network_id, new.id) <> new.status then
      raise exception 'A check stands as its shares were decided.' using errcode = 'restrict_violation';
    end if;
  end if;
  if new.deposit_id is distinct from old.deposit_id and (old.status = 'returned' or exists (
    select from deposits where network_id = new.network_id and banked_at is not null
      and id in (old.deposit_id, new.deposit_id))) then
    raise exception 'A banked deposit and a returned check stay as they are.'
      using errcode = 'restrict_violation';
  end if;
  return new;
end $$;

create or replace trigger keep before update on received_checks
  for each row execute function keep_received_check();

-- A check recorded only by its shares becomes a received check of its attorney.
create or replace function receive_check() returns trigger language plpgsql as $$
begin
  insert into received_checks (network_id, attorney_id, check_number, amount_cents, received_on, is_whole,
    created_by, created_at)
  select new.network_id, new.attorney_id, new.check_number, new.amount_cents,
    (coalesce(new.created_at, now()) at time zone n.time_zone)::date, false, new.created_by,
    coalesce(new.created_at, now())
  from networks n where n.id = new.network_id
  returning id into new.received_check_id;
  return new;
end $$;

create or replace trigger receive_check before insert on payments
 
  for each row when (new.method = 'check' and new.check_number is not null and new.received_check_id is null)
  execute function receive_check();

-- A check is the sum of its payments, and each payment the sum of its shares and credit, when its transaction ends.
-- Verified once per check. Card payments are verified separately, as before.
create or replace function check_received_sum() returns trigger language plpgsql as $$
begin
  if new.amount_cents is distinct from (
    select sum(amount_cents) from payments
    where network_id = new.network_id and received_check_id = new.id) then
    raise exception 'A check''s amount must be the sum of its payments.' using errcode = 'check_violation';
  end if;
  if exists (
    select from payments p
    where p.network_id = new.network_id and p.received_check_id = new.id
      and p.amount_cents - p.credit_cents <> (
        select coalesce(sum(s.amount_cents), 0) from payment_allocations s
        where s.network_id = p.network_id and s.payment_id = p.id)
  ) then
    raise exception 'A payment''s amount must be the sum of its shares.' using errcode = 'check_violation';
  end if;
  return null;
end $$;

create constraint trigger sum_of_payments after insert on received_checks deferrable initially deferred
  for each row execute function check_received_sum();

-- A payment of a check is for the check's payer, or for an attorney of the firm that it is from, and has its
-- number. (An attorney who changes firms later keeps what was paid.) Payments never exceed their check, so none can
-- be added to one that has them all. The settings are those of settle_checks.
create or replace function check_payments_of_checks() returns trigger language plpgsql
  set enable_hashjoin = off set enable_mergejoin = off as $$
begin
  if not exists (select from new_payments where received_check_id is not null) then
    return null;
  end if;
  if exists (
    select from new_payments p
    left join received_checks c on c.network_id = p.network_id and c.id = p.received_check_id
    left join attorneys a on a.network_id = p.network_id and a.id = p.attorney_id
    where p.received_check_id is not null
      and (c.check_number = p.check_number and c.status = 'pending'
        and (c.attorney_id = p.attorney_id or c.firm_id = a.firm_id)) is not true
  ) then
    raise exception 'A payment of a check is for its payer, or for an attorney of the firm that pays.'
      using errcode = 'restrict_violation';
  end if;
  if exists (
    select from (select distinct network_id, received_check_id from new_payments) as touched
    join received_checks c on c.network_id = touched.network_id and c.id = touched.received_check_id
    where c.amount_cents < (
      select sum(p.amount_cents) from payments p
      where p.network_id = c.network_id and p.received_check_id = c.id)
  ) then
    raise exception 'A check''s amount must be the sum of its payments.' using errcode = 'check_violation';
  end if;
  return null;
end $$;

create or replace trigger payer after insert on payments
  referencing new table as new_payments for each statement execute function check_payments_of_checks();

-- The status of a check from its shares; null if it pays no debit and is only credit.
create or replace function status_of_check(network bigint, check_id bigint) returns text
  language sql stable
  return (
    select case
      when count(*) = 0 then null
      when bool_or(s.status = 'pending') then 'pending'
      when bool_or(s.status = 'returned') then 'returned'
      when bool_and(s.status = 'denied') then 'denied'
      when bool_or(s.status = 'denied') then 'mixed'
      else 'approved' end
    from payments p
    join payment_allocations s on s.network_id = p.network_id and s.payment_id = p.id
    where p.network_id = network and p.received_check_id = check_id);

-- A check is decided when its last share is. The settings look up each share by its key, even if a connection keeps
-- the plan for one share for a statement of many.
create or replace function settle_checks() returns trigger language plpgsql
  set enable_hashjoin = off set enable_mergejoin = off as $$
begin
  if not exists (select from new_shares where check_number is not null) then
    return null;
  end if;
  update received_checks c
  set status = settled.status, decided_at = settled.decided_at, decided_by = settled.decided_by
  from (
    select touched.network_id, touched.received_check_id, touched.decided_at, touched.decided_by,
      status_of_check(touched.network_id, touched.received_check_id) as status
    from (
      select p.network_id, p.received_check_id, max(s.decided_at) as decided_at,
        max(s.decided_by) as decided_by
      from new_shares s
      join payments p on p.network_id = s.network_id and p.id = s.payment_id
      where s.check_number is not null
      group by p.network_id, p.received_check_id
    ) as touched
  ) as settled
  where c.network_id = settled.network_id and c.id = settled.received_check_id
    and c.status = 'pending' and settled.status in ('approved', 'denied', 'mixed');
  return null;
end $$;

create or replace trigger settle_checks after update on payment_allocations
  referencing new table as new_shares for each statement execute function settle_checks();

-- A check's number without what people may leave out: dashes, leading zeros, capitals.
create or replace function check_key(check_number text) returns text
  language sql immutable parallel safe
  return coalesce(nullif(ltrim(lower(replace(check_number, '-', '')), '0'), ''), check_number);

-- One paper check counts once: not twice for its payer, nor for a firm and for one of its attorneys. A lawyer may
-- report the same check on several debits until it is recorded as a whole. Transactions that record the same number
-- take turns. There are few locks, since a transaction may record many checks.
create or replace function refuse_check_told_twice() returns trigger language plpgsql as $$
declare
  firm bigint := coalesce(new.firm_id,
    (select firm_id from attorneys where network_id = new.network_id and id = new.attorney_id));
  known record;
begin
  perform pg_advisory_xact_lock(13, hashtext(new.network_id || ' ' || check_key(new.check_number)) & 1023);
  select payers.is_own, c.check_number, c.amount_cents, c.received_on, c.status,
    coalesce(f.name, a.first_name || ' ' || a.last_name) as payer
  into known
  from (
    select coalesce(new.firm_id, 0) as firm_id, coalesce(new.attorney_id, 0) as attorney_id, true as is_own
    union all
    select firm, 0, false where new.firm_id is null and firm is not null and not new.is_another_check
    union all
    select 0, mate.id, false from attorneys mate
    where mate.network_id = new.network_id and mate.firm_id = firm and mate.id is distinct from new.attorney_id
      and not new.is_another_check
  ) as payers
  join received_checks c on c.network_id = new.network_id and coalesce(c.firm_id, 0) = payers.firm_id
    and coalesce(c.attorney_id, 0) = payers.attorney_id and check_key(c.check_number) = check_key(new.check_number)
    and c.status not in ('denied', 'returned')
  left join attorneys a on a.network_id = c.network_id and a.id = c.attorney_id
  left join firms f on f.network_id = c.network_id and f.id = c.firm_id
  where not payers.is_own or new.is_whole or c.is_whole
  order by payers.is_own desc, c.id limit 1;
  if found then
    raise unique_violation using
      message = 'This check is recorded already.',
      constraint = case when known.is_own then 'received_checks_once' else 'received_checks_told_twice' end,
      detail = json_build_object('payer', known.payer, 'checkNumber', known.check_number,
        'amountCents', known.amount_cents, 'receivedOn', known.received_on, 'status', known.status);
  end if;
  return new;
end $$;

create or replace trigger once before insert on received_checks
  for each row execute function refuse_check_told_twice();

-- A check also counts only once on one debit, however its number is written: the index compares numbers as written.
create or replace function refuse_share_told_twice() returns trigger language plpgsql as $$
begin
  if exists (
    select from payment_allocations s
    where s.network_id = new.network_id and s.debit_id = new.debit_id and s.check_number <> new.check_number
      and s.status not in ('denied', 'returned') and check_key(s.check_number) = check_key(new.check_number)
  ) then
    raise unique_violation using
      message = 'This check is recorded already on this debit.', constraint = 'payment_allocations_check_once';
  end if;
  return new;
end $$;

create or replace trigger once before insert on payment_allocations
  for each row when (new.check_number is not null) execute function refuse_share_told_twice();
