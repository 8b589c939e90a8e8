-- Who was unsubscribed, counted without joining the rows before with the rows after: a connection
-- keeps how it joined them the first time, one by one for a single attorney, and would then go
-- through a whole panel once for each of its attorneys when a plan is archived. No row changes its
-- plan.
create or replace function count_unsubscribed() returns trigger language plpgsql as $$
begin
  update plans set enrolled_count = enrolled_count - changed.ended
  from (
    select network_id, plan_id, sum(active)::bigint as ended
    from (
      select network_id, plan_id, 1 as active from old_rows where archived_at is null
      union all
      select network_id, plan_id, -1 from new_rows where archived_at is null
    ) as rows
    group by network_id, plan_id
  ) as changed
  where plans.network_id = changed.network_id and plans.id = changed.plan_id and changed.ended <> 0;
  return null;
end $$;
