-- A matter that is created with an attorney is referred to this attorney.
create or replace function begin_referrals() returns trigger language plpgsql as $$
declare
  matters bigint := (select count(*) from new_rows);
begin
  if matters >= 1000 then
    perform analyze_referred('matters', matters);
  end if;
  insert into matter_referrals (network_id, matter_id, attorney_id, referred_at, ended_at, ended)
  select network_id, id, attorney_id, referred_at, closed_at, case when closed_at is not null then 'closed' end
  from new_rows where attorney_id is not null order by network_id, id;
  return null;
end $$;

create or replace trigger begin_referrals after insert on matters
  referencing new table as new_rows for each statement execute function begin_referrals();

-- A referral ends when its matter is closed, withdrawn or reassigned. No referral may end before it began: a change
-- that waited for another has an earlier now(), and a referral may be closed as of a day before it was recorded.
create or replace function follow_referral() returns trigger language plpgsql as $$
begin
  update matter_referrals
  set ended_at = greatest(referred_at,
      coalesce(case when new.attorney_id = old.attorney_id then new.closed_at end, now())),
    ended = case when new.attorney_id is null then 'withdrawn'
      when new.attorney_id <> old.attorney_id then 'reassigned' else 'closed' end
  where network_id = new.network_id and matter_id = new.id and ended_at is null;
  if new.attorney_id is distinct from old.attorney_id and new.attorney_id is not null then
    insert into matter_referrals (network_id, matter_id, attorney_id, referred_at, ended_at, ended)
    values (new.network_id, new.id, new.attorney_id, new.referred_at, new.closed_at,
      case when new.closed_at is not null then 'closed' end);
  end if;
  return null;
end $$;

create or replace trigger follow_referral after update on matters
 
  for each row when (new.attorney_id is distinct from old.attorney_id or (new.closed_at is not null and old.closed_at is null))
  execute function follow_referral();
