-- What each account had come to on the last day that a closing closes, {account: [debits, credits]} in cents: the trial
-- balance of a later period begins with it, and verify-ledger proves by it that closed days are as they were.
alter table book_closings
  add column balances jsonb,
  add constraint book_closings_balances check ((action = 'close') = (balances is not null));

-- The journal of an attorney.
create index entries_of_attorney on entries (network_id, attorney_id, day, id) where attorney_id is not null;
