-- A check's number as people compare it: 0001020, 10-20 and 1020 are one.
create function check_key(check_number text) returns text
  language sql immutable parallel safe
  return ltrim(lower(replace(check_number, '-', '')), '0');

create index received_checks_by_key on received_checks (network_id, check_key(check_number))
  where status not in ('denied', 'returned');

-- Another check of the same number was known when it was recorded, and somebody said that this one is another.
alter table received_checks add column is_another_check boolean not null default false;

-- One paper check counts once: neither twice for its payer, nor for a firm and for an attorney of the firm. Those who
-- record the same number at once come one after the other. A check told of by its shares may pay another debit later.
create function refuse_check_told_twice() returns trigger language plpgsql as $$
declare
  firm bigint := coalesce(new.firm_id,
    (select firm_id from attorneys where network_id = new.network_id and id = new.attorney_id));
  known record;
begin
  perform pg_advisory_xact_lock(13, hashtext(new.network_id || ' ' || check_key(new.check_number)));
  select c.attorney_id is not distinct from new.attorney_id and c.firm_id is not distinct from new.firm_id as is_payers,
    coalesce(f.name, a.first_name || ' ' || a.last_name) as payer,
    c.check_number, c.amount_cents, c.received_on, c.status
  into known
  from received_checks c
  left join attorneys a on a.network_id = c.network_id and a.id = c.attorney_id
  left join firms f on f.network_id = c.network_id and f.id = c.firm_id
  where c.network_id = new.network_id and check_key(c.check_number) = check_key(new.check_number)
    and c.status not in ('denied', 'returned')
    and case when c.attorney_id is not distinct from new.attorney_id and c.firm_id is not distinct from new.firm_id
      then new.is_whole
      else not new.is_another_check and (c.firm_id = firm or a.firm_id = firm) end
  order by is_payers desc, c.id limit 1;
  if found then
    raise unique_violation using
      message = 'This check is recorded already.',
      constraint = case when known.is_payers then 'received_checks_once' else 'received_checks_told_twice' end,
      detail = json_build_object('payer', known.payer, 'checkNumber', known.check_number,
        'amountCents', known.amount_cents, 'receivedOn', known.received_on, 'status', known.status);
  end if;
  return new;
end $$;
create trigger once before insert on received_checks for each row execute function refuse_check_told_twice();
