-- The time as of which a transaction writes.

-- Its own start, unless it has set `referral.clock` to its id and an instant, as the demo does to play through the
-- past year with the product's own functions. Because of the id, no setting outlasts its transaction, and one of a
-- session or a role has no effect. Setting it gives no new right: a role that inserts a row may choose its instant.
create or replace function set_instant() returns timestamptz language plpgsql stable as $$
declare
  setting text[] := string_to_array(current_setting('referral.clock'), ' ');
begin
  return case when setting[1] = pg_current_xact_id_if_assigned()::text then setting[2]::timestamptz else now() end;
end $$;

-- Usually nothing is set, and the planner inlines this function.
create or replace function clock() returns timestamptz language sql stable as $$
  select case when coalesce(current_setting('referral.clock', true), '') = '' then now() else set_instant() end
$$;
