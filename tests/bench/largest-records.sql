-- The largest records that the product's bounds allow, in a network whose lists are already full
-- (full-lists.sql): names of 200 letters, notes and descriptions of 2,000, with punctuation that people type.
-- For :lawyer 1,000 of each list of an attorney's record; for :other a statement of 5,000 lines. :admin is
-- the administrator, :today the date. Written without the triggers that update balances: for measuring only.
alter table attorneys disable trigger user;
alter table plans disable trigger user;
alter table enrolments disable trigger user;
alter table charges disable trigger user;
alter table debits disable trigger user;
alter table received_checks disable trigger user;
alter table payments disable trigger user;
alter table payment_allocations disable trigger user;
alter table entries disable trigger user;
alter table credits disable trigger user;
alter table card_payments disable trigger user;
alter table matters disable trigger user;
alter table matter_referrals disable trigger user;
alter table matter_reports disable trigger user;
alter table mails disable trigger user;
alter table audit_entries disable trigger user;
alter table deposits disable trigger user;

create temp table words as select
  left(repeat('The client’s check came back — “twice”, they say — and the office waived its fee. ', 30), 2000) as note,
  left(repeat('Ámbar O’Brien and Müller ', 10), 190) as name;

update attorneys set first_name = left(first_name || ' ' || name, 200), last_name = left(last_name || ' ' || name, 200),
  address_line_1 = left(name, 200), address_line_2 = left(name, 200), address_city = left(name, 200)
from words where network_id = :network;
update firms set name = left(firms.name || ' ' || words.name, 200) from words where network_id = :network;
-- A firm of a thousand lawyers.
update attorneys set firm_id = (select min(id) from firms where network_id = :network)
where network_id = :network and id in (select id from attorneys where network_id = :network order by id limit 1000);
update matters set first_name = left(first_name || ' ' || name, 200), last_name = left(last_name || ' ' || name, 200),
  note = words.note, address_line_1 = left(name, 200), address_line_2 = left(name, 200), address_city = left(name, 200)
from words where network_id = :network;
update received_checks set note = words.note, return_note = words.note from words where network_id = :network;
update mails set subject = left(words.name, 200), body = repeat(words.note || E'\n', 5), last_problem = case when last_problem is not null then words.note end
from words where network_id = :network;

-- Plans, and the lawyer's enrolment in each.
insert into plans (network_id, name, description, amount_cents, frequency_in_months, enrolled_count)
select :network, left(k || ' ' || name, 200), note, 7500, 1, 1 from words, generate_series(1, 1000) as k;
create temp table many as
select id, row_number() over (order by id) as place from plans
where network_id = :network and description <> '' order by id limit 1000;
insert into enrolments (network_id, attorney_id, plan_id, start_date, enrolled_on, first_period, note)
select :network, :lawyer, id, ':today'::date - 40, ':today'::date - 40, 0, note from many, words;
insert into debits (network_id, attorney_id, enrolment_id, period, due_on, amount_cents, balance_cents, pending_cents, income_account, created_at)
select :network, :lawyer, e.id, 0, ':today'::date - 40, 7500, 7500, 2500, 'dues_income:' || p.name, ':today'::date - 40
from enrolments e join plans p on p.network_id = e.network_id and p.id = e.plan_id
where e.network_id = :network and e.attorney_id = :lawyer and e.note <> '';
create temp table owed as
select d.id, d.income_account, row_number() over (order by d.id) as place from debits d
join enrolments e on e.network_id = d.network_id and e.id = d.enrolment_id
where d.network_id = :network and d.attorney_id = :lawyer and e.note <> '';
insert into entries (network_id, cause, from_account, to_account, amount_cents, day, attorney_id, debit_id, created_at)
select :network, 'charge', income_account, 'receivable', 7500, ':today'::date - 40, :lawyer, id, ':today'::date - 40 from owed;
insert into entries (network_id, cause, from_account, to_account, amount_cents, day, attorney_id, debit_id, note, created_at)
select :network, 'adjustment', 'receivable', 'adjustments', 100, ':today'::date - 30, :lawyer, id, note, ':today'::date - 30 from owed, words;

-- Payments: one check over all debits, a thousand of one debit each, and cards, some refunded.
insert into received_checks (network_id, attorney_id, check_number, amount_cents, received_on, status, decided_at, note, created_at)
select :network, :lawyer, 'LONG-' || k, case when k = 0 then 1000000 else 1000 end, ':today'::date - 20, 'approved', now(), note, ':today'::date - 20
from words, generate_series(0, 1000) as k;
insert into payments (network_id, attorney_id, method, amount_cents, check_number, received_check_id, credit_cents, created_at)
select network_id, attorney_id, 'check', amount_cents, check_number, id, 100, created_at
from received_checks where network_id = :network and check_number like 'LONG-%';
insert into payments (network_id, attorney_id, method, amount_cents, created_at)
select :network, :lawyer, 'online', 5000 + k, ':today'::date - 20 from generate_series(1, 2000) as k;
insert into payment_allocations (network_id, attorney_id, payment_id, debit_id, amount_cents, check_number, status, decided_at)
select :network, :lawyer, p.id, owed.id, 1000, p.check_number, 'approved', now()
from payments p join owed on p.check_number = 'LONG-0' or p.check_number = 'LONG-' || owed.place
where p.network_id = :network and p.check_number like 'LONG-%';
insert into payment_allocations (network_id, attorney_id, payment_id, debit_id, amount_cents, status, decided_at)
select :network, :lawyer, p.id, owed.id, p.amount_cents, case when p.amount_cents > 6000 then 'refunded' else 'approved' end, now()
from payments p join owed on owed.place = (p.amount_cents - 1) % 1000 + 1
where p.network_id = :network and p.attorney_id = :lawyer and p.method = 'online' and p.amount_cents > 5000;
insert into card_payments (network_id, payment_id, attorney_id, processor, card_processor_id, reference, token_hash, shares_hash,
  state, transaction_id, settled_at, refunded_at, message, problem, created_at, received_cents)
select :network, p.id, :lawyer, c.processor, c.id, 'CP' || lpad(p.amount_cents::text, 10, '0'), 't' || p.amount_cents, 's' || p.amount_cents,
  case when p.amount_cents > 6000 then 'refunded' else 'captured' end, left(p.amount_cents || words.note, 200), now(),
  case when p.amount_cents > 6000 then now() end, words.note, words.note, p.created_at,
  case when p.amount_cents > 6000 then 0 else p.amount_cents end
from payments p cross join words cross join (select id, processor from card_processors where network_id = :network order by id limit 1) as c
where p.network_id = :network and p.attorney_id = :lawyer and p.method = 'online' and p.amount_cents > 5000;
insert into credits (network_id, attorney_id, payment_id, amount_cents, left_cents)
select network_id, attorney_id, id, 100, 50 from payments where network_id = :network and check_number like 'LONG-%';
insert into entries (network_id, cause, from_account, to_account, amount_cents, day, attorney_id, credit_id, note)
select :network, 'credit_given_back', 'bank', 'credit', 50, ':today', :lawyer, id, note from credits, words where network_id = :network and attorney_id = :lawyer;

-- A statement of 5,000 lines.
insert into charges (network_id, name, note, amount_cents, due_on)
select :network, left('One charge ' || name, 200), note, 7500, ':today'::date - 40 from words;
insert into debits (network_id, attorney_id, charge_id, due_on, amount_cents, balance_cents)
select :network, :other, max(id), ':today'::date - 40, 7500, 7500 from charges where network_id = :network;
insert into entries (network_id, cause, from_account, to_account, amount_cents, day, attorney_id, debit_id, note)
select :network, case when k = 1 then 'charge' else 'adjustment' end, case when k = 1 then 'other_income' else 'adjustments' end,
  'receivable', case when k = 1 then 7500 else 1 end, ':today', :other, d.id, case when k = 1 then '' else note end
from words, generate_series(1, 5000) as k, debits d
where d.network_id = :network and d.attorney_id = :other and d.charge_id is not null;

-- One deposit of a thousand checks.
insert into deposits (network_id, number, deposited_on, account_name) select :network, 999999, ':today'::date, name from words;
update received_checks set deposit_id = (select id from deposits where network_id = :network and number = 999999)
where network_id = :network and id in (
  select id from received_checks where network_id = :network and deposit_id is null and status = 'approved' order by id desc limit 1000);

-- One referral that was reassigned and reported on a thousand times.
insert into matter_referrals (network_id, matter_id, attorney_id, referred_at, reason, ended, ended_at)
select :network, m.id, :lawyer, now() - k * interval '1 hour', note, 'reassigned', now() - k * interval '1 hour' + interval '30 minutes'
from words, generate_series(1, 1000) as k, (select max(id) as id from matters where network_id = :network and attorney_id = :lawyer) as m;
insert into matter_reports (network_id, matter_id, attorney_id, outcome, filed_on, note)
select :network, m.id, :lawyer, 'consulted', ':today'::date - k, note
from words, generate_series(1, 1000) as k, (select max(id) as id from matters where network_id = :network and attorney_id = :lawyer) as m;
-- The lawyer has a thousand open ones.
update matters set attorney_id = :lawyer, status = 'open', referred_at = ':today'::date - 30, report_due_on = ':today'::date - 3, closed_at = null
where network_id = :network and id in (select id from matters where network_id = :network order by id limit 1000);

-- Changes: from long texts to long texts, and a report ordered with the longest filters.
insert into audit_entries (network_id, actor_name, action, record_type, record_id, before, after)
select :network, left(k || ' ' || name, 200), 'changed attorney', 'attorney', :lawyer,
  jsonb_build_object('note', note, 'description', note, 'name', name), jsonb_build_object('note', note || k, 'description', note, 'name', name)
from words, generate_series(1, 1000) as k;
insert into audit_entries (network_id, actor_name, action, record_type, record_id, before, after)
select :network, 'Ada Min', 'requested report', 'data export', 1, null,
  (select jsonb_build_object('search', left(repeat(words.note, 8), 15900)) from words)
from generate_series(1, 200);
insert into data_exports (network_id, report_type, columns, filters, filter_words, status, requested_by, expires_at)
select :network, 'checks', '{}', jsonb_build_object('search', left(repeat(words.note, 8), 15900)),
  repeat(words.note, 8), 'queued', left(words.name, 200), now() + interval '30 days'
from words, generate_series(1, 50);
insert into saved_filters (network_id, user_id, list, name, query)
select :network, :admin, list, left(k || ' ' || words.name, 50), left(repeat('note=' || 'abc&', 500), 2000)
from words, unnest(array['attorneys', 'checks', 'debits', 'payments', 'matters']) as list, generate_series(1, 50) as k;
insert into api_tokens (network_id, name, scope, hash, last_four, created_by, revoked_at)
select :network, left(words.name, 80), 'read', encode(sha256(('t' || k)::bytea), 'hex'), 'abcd', left(words.name, 200), now()
from words, generate_series(1, 1000) as k;
insert into billing_runs (network_id, as_of, started_by, finished_at, debits, failures, failure_reason)
select :network, ':today'::date - k, left(words.name, 200), now(), 1, 1, repeat(words.note, 2) from words, generate_series(1, 1000) as k;

drop table words, many, owed;
alter table attorneys enable trigger user;
alter table plans enable trigger user;
alter table enrolments enable trigger user;
alter table charges enable trigger user;
alter table debits enable trigger user;
alter table received_checks enable trigger user;
alter table payments enable trigger user;
alter table payment_allocations enable trigger user;
alter table entries enable trigger user;
alter table credits enable trigger user;
alter table card_payments enable trigger user;
alter table matters enable trigger user;
alter table matter_referrals enable trigger user;
alter table matter_reports enable trigger user;
alter table mails enable trigger user;
alter table audit_entries enable trigger user;
alter table deposits enable trigger user;
