-- The denied part of a check can become credit later: then its payment has brought two credits. The index is the
-- constraint's of before, for those who look for the credits of a payment.
alter table credits drop constraint credits_once_a_payment;
create index credits_of_payment on credits (network_id, payment_id);

-- What was held of a check leaves once, and whole: given back, as credit, or with the check.
create unique index entries_held_once on entries (network_id, received_check_id) where to_account = 'held';
