-- The planner's statistics after a bulk insert (src/db/planner-settings.ts). ANALYZE is for a table's
-- owner, whom requests are not served as (docs/decisions/066-two-roles-and-an-image-without-demo.md):
-- who may insert into a table may have it analyzed.
create function analyze_tables(tables regclass[]) returns void
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  inserted_into regclass;
begin
  foreach inserted_into in array tables loop
    if not has_table_privilege(session_user, inserted_into, 'insert') then
      raise insufficient_privilege using message = format('permission denied to analyze %s', inserted_into);
    end if;
    execute format('analyze (skip_locked) %s', inserted_into);
  end loop;
end $$;
