-- A network with a million payment shares: 5,000 attorneys, 50,000 enrolments, a million debits, each
-- paid. Written at once and without the triggers that keep balances, so it is for measuring only.
alter table enrolments disable trigger user;
alter table debits disable trigger user;
alter table payments disable trigger user;
alter table payment_allocations disable trigger user;

insert into networks (id, name, time_zone) values (1, 'Harbor County', 'America/New_York');
insert into users (network_id, role, name, email) values (1, 'admin', 'Dana Whitfield', 'admin@bench.test');
insert into attorneys (network_id, id, first_name, last_name, email, phone, bar_number)
select 1, i, 'José' || i, 'O''Brien, ' || i, 'a' || i || '@bench.test', '+1 555 ' || i, 'B' || i
from generate_series(1, 5000) as i;
insert into plans (network_id, id, name, amount_cents, frequency_in_months)
select 1, i, 'Panel dues "' || i || '"', 5000, 1 from generate_series(1, 10) as i;
insert into enrolments (network_id, id, attorney_id, plan_id, start_date, enrolled_on, first_period, note)
select 1, i, i % 5000 + 1, i % 10 + 1, '2024-01-01', '2023-12-31', 0,
  case when i % 3 = 0 then 'Second panel' else '' end
from generate_series(1, 50000) as i;
analyze;

insert into debits (network_id, id, attorney_id, enrolment_id, period, due_on, amount_cents, balance_cents, created_at)
select 1, i + 1, (i % 50000 + 1) % 5000 + 1, i % 50000 + 1, i / 50000, '2024-01-01'::date + i / 50000 * 30,
  5000, 0, '2024-01-01'::timestamptz + i / 50000 * interval '30 days'
from generate_series(0, 999999) as i;
insert into payments (network_id, id, attorney_id, method, amount_cents, check_number, created_by, created_at)
select 1, i + 1, (i % 50000 + 1) % 5000 + 1, case when i % 2 = 0 then 'check' else 'online' end, 5000,
  case when i % 2 = 0 then 'C' || i end, (select min(id) from users),
  '2024-01-01'::timestamptz + i * interval '1 minute'
from generate_series(0, 999999) as i;
analyze;

insert into payment_allocations (network_id, id, attorney_id, payment_id, debit_id, amount_cents, check_number,
  status, decided_at, decided_by, created_at)
select 1, id, attorney_id, id, id, 5000, check_number, 'approved', created_at + interval '1 day', created_by, created_at
from payments;

alter table enrolments enable trigger user;
alter table debits enable trigger user;
alter table payments enable trigger user;
alter table payment_allocations enable trigger user;
analyze;
