-- A charge that was authorised and that the processor holds until its merchant accepts or declines it:
-- its payment stays processing for as long as that takes, and administrators are told what to do.
alter table card_payments
  add column held_at timestamptz,
  add constraint card_payments_held_while_processing check (held_at is null or state = 'processing');

-- The same where the browser that made the charge never came back; and what an administrator must see
-- to where the processor opened no session at all.
alter table card_sessions
  add column held_at timestamptz,
  add column held_transaction_id text check (length(held_transaction_id) between 1 and 200),
  add column fault text,
  add constraint card_sessions_held_while_open check (held_at is null or state = 'open');
create index card_sessions_held on card_sessions (network_id, id) where held_at is not null;
