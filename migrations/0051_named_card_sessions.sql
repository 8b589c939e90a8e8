-- What a card session is opened for, as the page that pays names it: a payment that went through is never begun
-- again under the same name, also where its answer was lost.
alter table card_sessions
  add column idempotency_key text check (length(idempotency_key) between 1 and 100);
