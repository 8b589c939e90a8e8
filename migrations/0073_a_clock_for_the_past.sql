-- The time as of which a transaction writes: its own, unless it has set `referral.clock` to its id and an instant, as
-- the demo does, which lives its past year through the product's own functions. The id lets no setting outlast its
-- transaction: one that a session or a role keeps counts in none. A transaction that sets it gains nothing, since
-- whoever inserts a row may name its instant.
create function set_instant() returns timestamptz language plpgsql stable as $$
declare
  setting text[] := string_to_array(current_setting('referral.clock'), ' ');
begin
  return case when setting[1] = pg_current_xact_id_if_assigned()::text then setting[2]::timestamptz else now() end;
end $$;

-- Nearly always nothing is set: the planner writes this one out where it is called.
create function clock() returns timestamptz language sql stable as $$
  select case when coalesce(current_setting('referral.clock', true), '') = '' then now() else set_instant() end
$$;

-- The records of dues and payments, and of who changed what. Who signs in and what is mailed is always of now.
do $$
declare
  at record;
begin
  for at in
    select table_name, column_name from information_schema.columns
    where table_schema = 'public' and column_default = 'now()' and table_name in (
      'audit_entries', 'billing_runs', 'charges', 'credit_entries', 'credits', 'debits', 'deposits',
      'enrolment_batches', 'enrolments', 'ledger_entries', 'payment_allocations', 'payments', 'plans',
      'received_checks')
  loop
    execute format('alter table %I alter column %I set default clock()', at.table_name, at.column_name);
  end loop;
end $$;
