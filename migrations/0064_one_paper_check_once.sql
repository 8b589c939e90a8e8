-- A check's number as people compare it: 0001020, 10-20 and 1020 are one. Of 0 and - nothing is left but themselves.
create function check_key(check_number text) returns text
  language sql immutable parallel safe
  return coalesce(nullif(ltrim(lower(replace(check_number, '-', '')), '0'), ''), check_number);

-- Another check of the same number was known when it was recorded, and somebody said that this one is another.
alter table received_checks add column is_another_check boolean not null default false;

create index received_checks_by_key on received_checks
  (network_id, coalesce(firm_id, 0), coalesce(attorney_id, 0), check_key(check_number))
  where status not in ('denied', 'returned');

-- One paper check counts once: neither twice for its payer, nor for a firm and for an attorney of the firm. A check of
-- which a lawyer told on one debit may be told of on another, as long as it is not recorded whole. Those who record the
-- same number at once come one after the other; the locks are few, since a transaction may record many checks.
create function refuse_check_told_twice() returns trigger language plpgsql as $$
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
create trigger once before insert on received_checks for each row execute function refuse_check_told_twice();

-- Nor does it count twice on one debit, however its number is written: the index compares numbers as written.
create function refuse_share_told_twice() returns trigger language plpgsql as $$
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
create trigger once before insert on payment_allocations for each row
  when (new.check_number is not null) execute function refuse_share_told_twice();
