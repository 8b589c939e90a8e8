-- What is owed by day is read as well from the index by attorney, which has the same columns: one index
-- less for every debit made and every balance that changes.
drop index debits_owed;

-- A change that waited for another one has an earlier beginning, which now() tells, and a referral may be closed
-- as of a day before it was recorded: none ends before it began.
create or replace function follow_referral() returns trigger language plpgsql as $$
begin
  update matter_referrals
  set ended_at = greatest(referred_at, coalesce(case when new.attorney_id = old.attorney_id then new.closed_at end, now())),
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
