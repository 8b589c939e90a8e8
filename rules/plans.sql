-- Archiving is irreversible, and the terms of an enrolment never change.
create or replace function keep_plan_terms() returns trigger language plpgsql as $$
begin
  if (new.amount_cents, new.frequency_in_months) is distinct from (old.amount_cents, old.frequency_in_months)
    or old.archived_at is not null then
    raise exception 'The terms of a plan never change, and an archived plan stays as it is.'
      using errcode = 'restrict_violation';
  end if;
  return new;
end $$;

create or replace trigger keep_terms before update on plans for each row execute function keep_plan_terms();

-- What an attorney was enrolled in never changes either, and an ended enrolment stays ended.
create or replace function keep_enrolment_terms() returns trigger language plpgsql as $$
begin
  if (new.attorney_id, new.plan_id, new.start_date, new.enrolled_on, new.bills_immediately, new.first_period,
      new.batch_id)
      is distinct from
     (old.attorney_id, old.plan_id, old.start_date, old.enrolled_on, old.bills_immediately, old.first_period,
      old.batch_id)
    or old.archived_at is not null then
    raise exception 'The terms of an enrolment never change, and an ended one stays as it is.'
      using errcode = 'restrict_violation';
  end if;
  return new;
end $$;

create or replace trigger keep_terms before update on enrolments
  for each row execute function keep_enrolment_terms();

-- A plan counts its attorneys, so that lists do not have to.
create or replace function count_enrolled() returns trigger language plpgsql as $$
begin
  update plans set enrolled_count = enrolled_count + changed.enrolled
  from (select network_id, plan_id, count(*) as enrolled from new_rows group by network_id, plan_id) as changed
  where plans.network_id = changed.network_id and plans.id = changed.plan_id;
  return null;
end $$;

create or replace trigger count_enrolled after insert on enrolments
  referencing new table as new_rows for each statement execute function count_enrolled();

-- Counted without joining the rows before with the rows after: a connection keeps the plan of its first join, row
-- by row for a single attorney, and would then scan a whole panel for each of its attorneys when a plan is
-- archived. No row changes its plan.
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

create or replace trigger count_unsubscribed after update on enrolments
  referencing new table as new_rows old table as old_rows
  for each statement execute function count_unsubscribed();

-- Checked once per statement instead of by a foreign key: a Subscribe all would look up the same batch for each of
-- a hundred thousand rows. Neither side ever changes or is deleted.
create or replace function check_batch() returns trigger language plpgsql as $$
begin
  if exists (
    select from (
      select distinct network_id, batch_id, plan_id from new_rows where batch_id is not null
    ) as made
    where not exists (
      select from enrolment_batches b
      where b.network_id = made.network_id and b.id = made.batch_id and b.plan_id = made.plan_id)
  ) then
    raise exception 'An enrolment names a Subscribe all of its own plan.' using errcode = 'foreign_key_violation';
  end if;
  return null;
end $$;

create or replace trigger check_batch after insert on enrolments
  referencing new table as new_rows for each statement execute function check_batch();
