-- A referral that nobody has can be closed: the client needs no attorney any more.
alter table matters
  drop constraint matters_check,
  drop constraint matters_check1,
  add constraint matters_attorney check (status = 'closed' or (status = 'new') = (attorney_id is null)),
  add constraint matters_referred check ((attorney_id is null) = (referred_at is null));

-- What is refused of who has left the panel has a name, by which it is answered in words.
create or replace function refuse_enrolling_departed() returns trigger language plpgsql as $$
begin
  if exists (select from new_rows where (network_id, attorney_id) in (
      select network_id, id from attorneys where left_on is not null)) then
    raise exception 'An attorney who has left the panel is enrolled in nothing.'
      using errcode = 'restrict_violation', constraint = 'enrolments_of_departed';
  end if;
  return null;
end $$;

create or replace function refuse_referring_to_departed() returns trigger language plpgsql as $$
begin
  if exists (select from new_rows where ended_at is null and (network_id, attorney_id) in (
      select network_id, id from attorneys where left_on is not null)) then
    raise exception 'An attorney who has left the panel gets no referral.'
      using errcode = 'restrict_violation', constraint = 'referrals_of_departed';
  end if;
  return null;
end $$;

create or replace function refuse_session_of_departed() returns trigger language plpgsql as $$
begin
  if exists (select from users u join attorneys a on a.network_id = u.network_id and a.id = u.attorney_id
      where u.id = new.user_id and a.left_on is not null) then
    raise exception 'The account of an attorney who has left the panel is shut.'
      using errcode = 'restrict_violation', constraint = 'sessions_of_departed';
  end if;
  return null;
end $$;
