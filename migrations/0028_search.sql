-- What GET /search reads, beside the texts of attorneys and referrals that are indexed already: each number by
-- how it begins, and names of firms and plans anywhere in them.

-- Serves equality as well as the index in whose place it comes; of one number, the newest check first.
drop index received_checks_by_number;
create index received_checks_by_number on received_checks (network_id, check_number text_pattern_ops, id);

create index card_payments_by_transaction on card_payments (network_id, transaction_id text_pattern_ops)
  where transaction_id is not null;
create index unapplied_payments_by_transaction on unapplied_payments (network_id, transaction_id text_pattern_ops);
create index firms_search on firms using gin (network_id, lower(name || ' ' || billing_email) gin_trgm_ops);
create index plans_search on plans using gin (network_id, lower(name) gin_trgm_ops);

-- How names begin, in both orders.
create index attorneys_by_first_name on attorneys
  (network_id, lower(first_name || ' ' || last_name) text_pattern_ops);
create index attorneys_by_last_name on attorneys
  (network_id, lower(last_name || ' ' || first_name) text_pattern_ops);
create index matters_by_first_name on matters
  (network_id, lower(first_name || ' ' || last_name) text_pattern_ops);
create index matters_by_last_name on matters
  (network_id, lower(last_name || ' ' || first_name) text_pattern_ops);
create index firms_by_name on firms (network_id, lower(name) text_pattern_ops);
create index plans_by_name on plans (network_id, lower(name) text_pattern_ops);
