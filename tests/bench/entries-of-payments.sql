-- What the triggers that payments-to-export.sql leaves out would have written: two entries for each of its payments.
alter table ledger_entries disable trigger user;
insert into ledger_entries (network_id, debit_id, kind, amount_cents, created_at)
select network_id, id, 'charge', amount_cents, created_at from debits where network_id = :network order by id;
insert into ledger_entries (network_id, debit_id, kind, amount_cents, allocation_id, created_at)
select network_id, debit_id, 'payment', -amount_cents, id, created_at + interval '1 day'
from payment_allocations where network_id = :network order by id;
alter table ledger_entries enable trigger user;
