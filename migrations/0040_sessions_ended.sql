-- Whoever ends a session, this product or the auth library, every process hears of it in the order
-- of commits and closes the session's sockets before it delivers anything that happened later.
create function tell_sessions_ended() returns trigger language plpgsql as $$
declare
  ended_ids bigint[];
begin
  -- In slices: a notification holds less than 8,000 bytes.
  for ended_ids in
    select array_agg(id) from (select id, (row_number() over (order by id) - 1) / 300 as slice from ended) as numbered
    group by slice order by slice
  loop
    perform pg_notify('cable', json_build_object('v', 1, 'ended', ended_ids)::text);
  end loop;
  return null;
end $$;
create trigger tell_ended after delete on sessions referencing old table as ended
  for each statement execute function tell_sessions_ended();
