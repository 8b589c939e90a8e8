-- What the administrator's first page counts is found by an index, not by reading what grows with the years.

-- The debits' ledger and the credits' by the time of recording: what was billed and received in a month, and
-- what was recorded after the day whose receivables are asked for. By kind first: telling a hundred thousand
-- entries apart by it took as long as adding them up.
create index ledger_entries_by_time on ledger_entries (network_id, kind, created_at) include (amount_cents);
create index credit_entries_by_time on credit_entries (network_id, created_at) include (amount_cents)
  where debit_id is null;

create index matters_without_attorney on matters (network_id, submitted_at) where status = 'new';
create index matters_by_referral on matters (network_id, referred_at) where referred_at is not null;
create index matter_reports_retained on matter_reports (network_id, filed_on, matter_id, id)
  where outcome = 'retained';
create index card_refunds_failed on card_refunds (network_id, payment_id) where state = 'failed';
create index unapplied_payments_open on unapplied_payments (network_id, id) where resolved_at is null;

-- A report that is ready waits for somebody until it has been downloaded once. Nobody knows it of older ones.
alter table data_exports add column downloaded_at timestamptz;
update data_exports set downloaded_at = finished_at where status = 'ready';
