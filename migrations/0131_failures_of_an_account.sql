-- Whose password was tried, so that a completed reset can forget the failures of one account; null for
-- what counts by address alone.
alter table sign_in_failures add column email text;
create index sign_in_failures_of_account on sign_in_failures (email) where email is not null;
