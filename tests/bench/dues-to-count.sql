-- In a network with attorneys: five plans each, ten months billed, four in five of an attorney's 50 debits
-- paid by check. Written in one go without the triggers that update balances: for measuring only.
alter table enrolments disable trigger user;
alter table debits disable trigger user;
alter table received_checks disable trigger user;
alter table payments disable trigger user;
alter table payment_allocations disable trigger user;
alter table entries disable trigger user;

insert into plans (network_id, name, amount_cents, frequency_in_months)
select :network, 'Panel dues ' || i, 5000, 1 from generate_series(1, 5) as i;
insert into enrolments (network_id, attorney_id, plan_id, start_date, enrolled_on, first_period)
select :network, a.id, p.id, '2025-09-01', '2025-08-31', 0
from plans p cross join attorneys a where p.network_id = :network and a.network_id = :network;
insert into debits (network_id, attorney_id, enrolment_id, period, due_on, amount_cents, balance_cents, income_account, created_at)
select :network, e.attorney_id, e.id, k, '2025-09-01'::date + k * interval '1 month', 5000,
  case when (e.id + k) % 5 = 0 then 5000 else 0 end, 'dues_income:' || p.name, '2025-09-01'::timestamptz + k * interval '1 month'
from generate_series(0, 9) as k cross join enrolments e join plans p on p.network_id = e.network_id and p.id = e.plan_id
where e.network_id = :network order by k, e.id;
insert into received_checks (network_id, attorney_id, check_number, amount_cents, received_on, is_whole, status, decided_at)
select :network, attorney_id, 'C' || id, 5000, due_on, false, 'approved', created_at + interval '9 days'
from debits where network_id = :network and balance_cents = 0 order by id;
insert into payments (network_id, attorney_id, method, amount_cents, check_number, received_check_id, created_at)
select :network, attorney_id, 'check', 5000, check_number, id, decided_at
from received_checks where network_id = :network order by id;
insert into payment_allocations (network_id, attorney_id, payment_id, debit_id, amount_cents, check_number, status,
  decided_at, created_at)
select :network, attorney_id, id, substr(check_number, 2)::bigint, 5000, check_number, 'approved', created_at, created_at
from payments where network_id = :network order by id;
insert into entries (network_id, cause, from_account, to_account, amount_cents, day, attorney_id, debit_id, allocation_id,
  received_check_id, created_at)
select :network, cause, from_account, to_account, 5000, moved.created_at::date, attorney_id, debit_id, allocation_id,
  received_check_id, moved.created_at
from (
  select 'charge' as cause, income_account as from_account, 'receivable' as to_account, attorney_id, id as debit_id,
    null::bigint as allocation_id, null::bigint as received_check_id, created_at
  from debits where network_id = :network
  union all
  select 'payment', 'receivable', 'undeposited', s.attorney_id, s.debit_id, s.id, p.received_check_id, s.decided_at
  from payment_allocations s join payments p on p.network_id = s.network_id and p.id = s.payment_id
  where s.network_id = :network
) as moved order by moved.created_at;
insert into audit_entries (network_id, actor_name, action, record_type, record_id, created_at)
select :network, 'Ada Min', 'recorded check', 'received check', id, decided_at
from received_checks where network_id = :network order by id;

alter table enrolments enable trigger user;
alter table debits enable trigger user;
alter table received_checks enable trigger user;
alter table payments enable trigger user;
alter table payment_allocations enable trigger user;
alter table entries enable trigger user;
