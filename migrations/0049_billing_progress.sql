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
