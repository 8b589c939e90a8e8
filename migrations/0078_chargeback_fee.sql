-- What a network charges an attorney for a chargeback; 0 for none.
alter table networks
  add column chargeback_fee_cents bigint not null default 0 check (chargeback_fee_cents between 0 and 100000000);
