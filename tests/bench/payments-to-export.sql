-- A network with :rows payment shares: 5,000 attorneys, 50,000 enrolments, :rows debits, each paid. Written
-- in one go without the triggers that update balances: for measuring only.
alter table enrolments disable trigger user;
alter table debits disable trigger user;
alter table received_checks disable trigger user;
alter table payments disable trigger user;
alter table payment_allocations disable trigger user;

insert into attorneys (network_id, first_name, last_name, email, phone, bar_number)
select :network, 'José' || i, 'O''Brien, ' || i, 'x' || i || '@bench:network.test', '+1 555 ' || i, 'B' || i
from generate_series(1, 5000) as i;
insert into plans (network_id, name, amount_cents, frequency_in_months)
select :network, 'Panel dues "' || i || '"', 5000, 1 from generate_series(1, 10) as i;
with panel as (
  select id, row_number() over (order by id) as place from attorneys where network_id = :network
), offered as (
  select id, row_number() over (order by id) as place from plans where network_id = :network
)
insert into enrolments (network_id, attorney_id, plan_id, start_date, enrolled_on, first_period, note)
select :network, panel.id, offered.id, '2024-01-01', '2023-12-31', 0,
  case when panel.place % 3 = 0 then 'Second panel' else '' end
from offered cross join panel;
analyze enrolments;

insert into debits (network_id, id, attorney_id, enrolment_id, period, due_on, amount_cents, balance_cents, income_account, created_at)
select :network, :first + k * 50000 + e.place - 1, e.attorney_id, e.id, k, '2024-01-01'::date + k::integer * 30,
  5000, 0, 'dues_income:' || e.name, '2024-01-01'::timestamptz + k * interval '30 days'
from generate_series(0, (:rows - 1) / 50000) as k
cross join (
  select e.id, e.attorney_id, p.name, row_number() over (order by e.id) as place
  from enrolments e join plans p on p.network_id = e.network_id and p.id = e.plan_id where e.network_id = :network
) as e
where k * 50000 + e.place <= :rows;
insert into received_checks (network_id, id, attorney_id, check_number, amount_cents, received_on, is_whole, status, decided_at)
select :network, d.id, d.attorney_id, 'C' || d.id, 5000, '2024-01-01', false, 'approved', '2024-01-02'
from debits d where d.network_id = :network and d.id % 2 = 0;
insert into payments (network_id, id, attorney_id, method, amount_cents, check_number, received_check_id, created_by, created_at)
select :network, d.id, d.attorney_id, case when d.id % 2 = 0 then 'check' else 'online' end, 5000,
  case when d.id % 2 = 0 then 'C' || d.id end, case when d.id % 2 = 0 then d.id end,
  (select min(id) from users where network_id = :network),
  '2024-01-01'::timestamptz + (d.id - :first) * interval '1 minute'
from debits d where d.network_id = :network;
insert into payment_allocations (network_id, id, attorney_id, payment_id, debit_id, amount_cents, check_number,
  status, decided_at, decided_by, created_at)
select network_id, id, attorney_id, id, id, 5000, check_number, 'approved', created_at + interval '1 day', created_by, created_at
from payments where network_id = :network;

select setval(pg_get_serial_sequence('debits', 'id'), (select max(id) from debits)),
  setval(pg_get_serial_sequence('received_checks', 'id'), (select max(id) from received_checks)),
  setval(pg_get_serial_sequence('payments', 'id'), (select max(id) from payments)),
  setval(pg_get_serial_sequence('payment_allocations', 'id'), (select max(id) from payment_allocations));

alter table enrolments enable trigger user;
alter table debits enable trigger user;
alter table received_checks enable trigger user;
alter table payments enable trigger user;
alter table payment_allocations enable trigger user;
