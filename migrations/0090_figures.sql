-- What is due and not billed, counted by a job (features/debits/unbilled.ts): nothing is, unless
-- something is wrong, so nobody should have to read all enrolments to be told so.
create table unbilled_counts (
  network_id bigint primary key references networks (id) on delete restrict,
  -- The network's local day up to which it was counted.
  counted_on date not null,
  debits bigint not null check (debits >= 0),
  counted_at timestamptz not null
);

-- What metrics ask for every few seconds (server/figures.ts).
create index billing_runs_by_start on billing_runs (started_at);
create index mails_given_up on mails (network_id, id) where status = 'gave_up';
