-- How far each network is billed. It stood in `networks`: whoever held that row, or a trigger on it that
-- failed, held billing up as well (decision 081).
create table billing_progress (
  network_id bigint primary key references networks (id) on delete restrict,
  -- Every active enrolment's periods on or before this day are billed: where the next billing run
  -- starts. Enrolling someone whose first due date is not after it moves it back.
  billed_through date,
  -- What billing_seal() (0006) said when the network was last known to be billed through that day:
  -- while it says the same, nothing can be missing, and a run for a billed day has nothing to look for.
  billed_seal text,
  -- Since when billing the network has failed as a whole; null since a run has closed.
  failed_at timestamptz
);

insert into billing_progress (network_id, billed_through, billed_seal)
select id, billed_through, billed_seal from networks;
alter table networks drop column billed_through, drop column billed_seal;

-- There from the beginning: a later insert would have to wait for whoever holds the network's row.
create function begin_billing_progress() returns trigger language plpgsql as $$
begin
  insert into billing_progress (network_id) values (new.id);
  return null;
end $$;
create trigger begin_billing_progress after insert on networks
  for each row execute function begin_billing_progress();

-- A network's own day at an instant; null where PostgreSQL does not know its time zone, as after an
-- upgrade that dropped a name, so that a statement about all networks goes on without this one.
create function local_day(instant timestamptz, zone text) returns date language plpgsql stable as $$
begin
  return (instant at time zone zone)::date;
exception when invalid_parameter_value then
  return null;
end $$;

-- An endpoint that is removed at the same moment took the statement with it that something was told of: a
-- payment was refused. Endpoints are locked first, as the foreign key does afterwards; one that was being
-- removed is gone by the second statement.
create or replace function deliver_webhook_messages() returns trigger language plpgsql as $$
begin
  perform from webhook_endpoints
  where network_id = any (array(select distinct network_id from new_messages))
  order by network_id, id for key share;
  insert into webhook_deliveries (network_id, endpoint_id, message_id)
  select m.network_id, e.id, m.id
  from new_messages m
  join webhook_endpoints e on e.network_id = m.network_id and e.active and m.type = any (e.event_types)
  order by m.id, e.id;
  return null;
end $$;

-- Of an account that was removed at the same moment: as the foreign key says it a moment earlier.
create or replace function take_network_of_user() returns trigger language plpgsql as $$
begin
  select network_id into new.network_id from users where id = new.user_id;
  if not found then
    raise exception 'There is no such user: constraint "%_network_id_user_id_fkey".', tg_table_name
      using errcode = 'foreign_key_violation', constraint = tg_table_name || '_network_id_user_id_fkey';
  end if;
  return new;
end $$;

-- What is refused of who has left the panel says its name in the message, too: not everything between
-- PostgreSQL and the server hands the error's other fields on.
create or replace function refuse_enrolling_departed() returns trigger language plpgsql as $$
begin
  if exists (select from new_rows where (network_id, attorney_id) in (
      select network_id, id from attorneys where left_on is not null)) then
    raise exception 'An attorney who has left the panel is enrolled in nothing: constraint "enrolments_of_departed".'
      using errcode = 'restrict_violation', constraint = 'enrolments_of_departed';
  end if;
  return null;
end $$;

create or replace function refuse_referring_to_departed() returns trigger language plpgsql as $$
begin
  if exists (select from new_rows where ended_at is null and (network_id, attorney_id) in (
      select network_id, id from attorneys where left_on is not null)) then
    raise exception 'An attorney who has left the panel gets no referral: constraint "referrals_of_departed".'
      using errcode = 'restrict_violation', constraint = 'referrals_of_departed';
  end if;
  return null;
end $$;

create or replace function refuse_session_of_departed() returns trigger language plpgsql as $$
begin
  if exists (select from users u join attorneys a on a.network_id = u.network_id and a.id = u.attorney_id
      where u.id = new.user_id and a.left_on is not null) then
    raise exception 'The account of an attorney who has left the panel is shut: constraint "sessions_of_departed".'
      using errcode = 'restrict_violation', constraint = 'sessions_of_departed';
  end if;
  return null;
end $$;
