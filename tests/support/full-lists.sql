-- In a network: :rows rows in everything that has a list, and for :lawyer, one of its attorneys, twenty years
-- of dues and 200 open referrals. :today is the date. Written in one go without the triggers that update
-- balances and statuses: for looking and measuring only.
alter table enrolments disable trigger user;
alter table debits disable trigger user;
alter table received_checks disable trigger user;
alter table payments disable trigger user;
alter table payment_allocations disable trigger user;
alter table entries disable trigger user;
alter table card_sessions disable trigger user;
alter table card_payments disable trigger user;
alter table card_transactions disable trigger user;
alter table mails disable trigger user;

insert into firms (network_id, name, billing_email)
select :network, 'Hale & Partners ' || k || ' LLP', 'billing-' || k || '@example.test' from generate_series(1, :rows) as k;
insert into attorneys (network_id, first_name, last_name, email, phone, bar_number, firm_id, suspended_at, suspension_reason)
select :network, 'First' || (place * 7919) % 500, 'Last' || (place * 104729) % 3000, 'full-' || place || '@example.test',
  '(555) 010-' || lpad((place % 10000)::text, 4, '0'), 'F' || place, id,
  case when place % 20 = 0 then now() end, case when place % 20 = 0 then 'overdue_reports' end
from (select id, row_number() over (order by id) as place from firms where network_id = :network) as offices;
create temp table panel as
select id, firm_id, row_number() over (order by id) as place from attorneys where network_id = :network and bar_number like 'F%';

-- Four months each: paid and deposited; paid, not yet deposited; partly pending; not billed yet.
with plan as (
  insert into plans (network_id, name, amount_cents, frequency_in_months, enrolled_count)
  values (:network, 'Dues that everybody pays', 7500, 1, :rows + 1) returning id
)
insert into enrolments (network_id, attorney_id, plan_id, start_date, enrolled_on, first_period)
select :network, member.id, plan.id, member.start_on, member.start_on, 0
from plan cross join (
  select id, ':today'::date - interval '3 months' as start_on from panel
  union all
  select :lawyer, ':today'::date - interval '239 months'
) as member;
create temp table dues as
select id, attorney_id, start_date from enrolments where network_id = :network
  and plan_id = (select max(id) from plans where network_id = :network);
insert into debits (network_id, attorney_id, enrolment_id, period, due_on, amount_cents, balance_cents, pending_cents, income_account, created_at)
select :network, attorney_id, dues.id, k, start_date + k * interval '1 month', 7500, case when k = 2 or attorney_id = :lawyer then 7500 else 0 end,
  case when k = 2 and attorney_id <> :lawyer then 2500 else 0 end, 'dues_income:Dues that everybody pays', start_date + k * interval '1 month'
from dues cross join lateral generate_series(0, case when attorney_id = :lawyer then 238 else 2 end) as k;
create temp table billed as
select d.id, d.attorney_id, d.period, d.due_on, case when d.period = 2 then 2500 else 7500 end as paid_cents
from debits d join panel on panel.id = d.attorney_id where d.network_id = :network;
insert into deposits (network_id, number, deposited_on, account_name)
select :network, 100000 + place, ':today'::date - 30, 'Operating' from panel;
insert into received_checks (network_id, attorney_id, check_number, amount_cents, received_on, status, decided_at, deposit_id, created_at)
select :network, b.attorney_id, 'F' || b.id, b.paid_cents, b.due_on + 9, case when b.period = 2 then 'pending' else 'approved' end,
  case when b.period < 2 then b.due_on + interval '10 days' end, d.id, b.due_on + interval '9 days'
from billed b join panel on panel.id = b.attorney_id
left join deposits d on d.network_id = :network and b.period = 0 and d.number = 100000 + panel.place;
insert into payments (network_id, attorney_id, method, amount_cents, check_number, received_check_id, created_at)
select network_id, attorney_id, 'check', amount_cents, check_number, id, created_at
from received_checks where network_id = :network and check_number like 'F%' and attorney_id is not null;
insert into payment_allocations (network_id, attorney_id, payment_id, debit_id, amount_cents, check_number, status, decided_at, created_at)
select p.network_id, p.attorney_id, p.id, substr(p.check_number, 2)::bigint, p.amount_cents, p.check_number, c.status, c.decided_at, p.created_at
from payments p join received_checks c on c.network_id = p.network_id and c.id = p.received_check_id
where p.network_id = :network and p.check_number like 'F%';
insert into entries (network_id, cause, from_account, to_account, amount_cents, day, attorney_id, debit_id, allocation_id, received_check_id, created_at)
select :network, 'charge', d.income_account, 'receivable', 7500, d.created_at::date, d.attorney_id, d.id, null, null, d.created_at
from debits d join dues on dues.id = d.enrolment_id where d.network_id = :network
union all
select s.network_id, 'payment', 'receivable', 'undeposited', s.amount_cents, s.decided_at::date, s.attorney_id, s.debit_id, s.id, p.received_check_id, s.decided_at
from payment_allocations s join payments p on p.network_id = s.network_id and p.id = s.payment_id
where s.network_id = :network and s.status = 'approved' and s.check_number like 'F%';

insert into matters (network_id, first_name, last_name, phone, email, address_line_1, address_city,
  address_region, address_zip, status, attorney_id, reference, submitted_at, referred_at, closed_at, report_due_on)
select :network, 'Client' || (k * 31) % 900, 'Surname' || (k * 7919) % 20000, '(555) 020-' || lpad((k % 10000)::text, 4, '0'),
  'client-' || k || '@example.test', k || ' Main Street', 'Town' || k % 200, 'NY', lpad(k::text, 5, '0'), status,
  case when status <> 'new' then coalesce(panel.id, :lawyer) end, 'R-' || k, ':today'::date - 200,
  case when status <> 'new' then ':today'::date - 199 end, case when status = 'closed' then ':today'::date end,
  case when status = 'open' then ':today'::date + k % 120 - 60 end
from (select k, case when k > :rows or k % 5 > 1 then 'open' when k % 5 = 0 then 'new' else 'closed' end as status
  from generate_series(1, :rows + 200) as k) as clients
left join panel on panel.place = k;
insert into mails (network_id, occasion, recipient, subject, body, status, sent_at, last_problem)
select :network, 'full ' || place, 'full-' || place || '@example.test', 'Receipt for your payment of $75.00', 'Thank you.',
  case place % 3 when 0 then 'gave_up' else 'sent' end, case when place % 3 > 0 then now() end, case when place % 3 = 0 then 'No such mailbox.' end
from panel;
insert into audit_entries (network_id, actor_name, action, record_type, record_id)
select :network, 'Ada Min', 'recorded check', 'received check', id from received_checks where network_id = :network and status = 'pending';
insert into data_exports (network_id, report_type, columns, status, failure_reason, requested_by, started_at, finished_at, expires_at)
select :network, 'receivables_aging', '{}', 'failed', 'The disk is full.', 'Ada Min', now(), now(), now() + interval '30 days' from panel;

create temp table account as
select id, processor from card_processors where network_id = :network order by id limit 1;
insert into card_sessions (network_id, attorney_id, processor, card_processor_id, reference, amount_cents, held_at, held_transaction_id)
select :network, panel.id, processor, account.id, 'HELD' || lpad(place::text, 8, '0'), 7500, now(), 'held-' || place from account cross join panel;
-- Chargebacks not yet reviewed.
with paid as (
  insert into payments (network_id, attorney_id, method, amount_cents, credit_cents)
  select :network, id, 'online', 7500, 7500 from panel returning id, attorney_id
), by_card as (
  insert into card_payments (network_id, payment_id, attorney_id, processor, card_processor_id, reference, token_hash, shares_hash,
    state, transaction_id, settled_at)
  select :network, paid.id, attorney_id, processor, account.id, 'BACK' || lpad(paid.id::text, 8, '0'), 'back-' || paid.id,
    'back-' || paid.id, 'charged_back', 'back-' || paid.id, now()
  from paid cross join account
)
insert into card_transactions (network_id, payment_id, kind, amount_cents, happened_on, done_by)
select :network, id, kind, 7500, ':today', 'processor' from paid cross join (values ('purchase'), ('chargeback')) as happened (kind);

drop table panel, dues, billed, account;
alter table enrolments enable trigger user;
alter table debits enable trigger user;
alter table received_checks enable trigger user;
alter table payments enable trigger user;
alter table payment_allocations enable trigger user;
alter table entries enable trigger user;
alter table card_sessions enable trigger user;
alter table card_payments enable trigger user;
alter table card_transactions enable trigger user;
alter table mails enable trigger user;
