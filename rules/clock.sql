-- The time as of which a transaction writes.

-- Its own, unless it has set `referral.clock` to its id and an instant, as the demo does, which lives its past year
-- through the product's own functions. The id lets no setting outlast its transaction: one that a session or a role
-- keeps counts in none. A transaction that sets it gains nothing: a role that inserts a row may name its instant.
create or replace function set_instant() returns timestamptz language plpgsql stable as $$
declare
  setting text[] := string_to_array(current_setting('referral.clock'), ' ');
begin
  return case when setting[1] = pg_current_xact_id_if_assigned()::text then setting[2]::timestamptz else now() end;
end $$;

-- Nearly always nothing is set: the planner writes this one out where it is called.
create or replace function clock() returns timestamptz language sql stable as $$
  select case when coalesce(current_setting('referral.clock', true), '') = '' then now() else set_instant() end
$$;
