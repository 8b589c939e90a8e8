-- The entries that the triggers left out by payments-to-export.sql would have written: two for each payment.
alter table entries disable trigger user;
insert into entries (network_id, cause, from_account, to_account, amount_cents, day, attorney_id, debit_id, created_at)
select network_id, 'charge', income_account, 'receivable', amount_cents, created_at::date, attorney_id, id, created_at from debits where network_id = :network order by id;
insert into entries (network_id, cause, from_account, to_account, amount_cents, day, attorney_id, debit_id, allocation_id,
  received_check_id, created_at)
select s.network_id, 'payment', 'receivable', case when s.check_number is null then 'clearing:stripe' else 'undeposited' end,
  s.amount_cents, s.created_at::date + 1, s.attorney_id, s.debit_id, s.id, p.received_check_id, s.created_at + interval '1 day'
from payment_allocations s join payments p on p.network_id = s.network_id and p.id = s.payment_id
where s.network_id = :network order by s.id;
alter table entries enable trigger user;
