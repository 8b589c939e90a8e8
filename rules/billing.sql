-- The date of a period, counted from the start and clipped to the month's end.
create or replace function period_date(start_date date, every_months integer, period integer) returns date
  language sql immutable parallel safe
  return (start_date + make_interval(months => every_months * period))::date;

-- The last period on or before a day; -1 before the start. date_part counts in floating point, which is exact for
-- these and three times as fast as extract's decimals. Only a day before the start's day of the month can be too
-- early.
create or replace function period_on_or_before(start_date date, every_months integer, day date) returns integer
  language sql immutable parallel safe
  return case when day < start_date then -1 else
    ((date_part('year', day) - date_part('year', start_date)) * 12
      + date_part('month', day) - date_part('month', start_date))::integer / every_months
    - case when date_part('day', day) < date_part('day', start_date)
        and period_date(start_date, every_months,
          ((date_part('year', day) - date_part('year', start_date)) * 12
            + date_part('month', day) - date_part('month', start_date))::integer / every_months) > day
      then 1 else 0 end
  end;

-- "$50.00 every month", "$1,250.00 every 3 months"
create or replace function payment_schedule(amount_cents bigint, every_months integer) returns text
  language sql immutable parallel safe
  return '$' || to_char(amount_cents / 100.0, 'FM999,999,999,990.00') || ' every '
    || case every_months when 1 then 'month' else every_months || ' months' end;

-- Debits deleted and enrolments inserted, by anyone and with any triggers off: PostgreSQL counts them itself. The
-- file changes when the table is emptied or restored. The counts are for the whole database and lost in a crash; a
-- different value only makes a billing run check.
create or replace function billing_checksum() returns text
  language sql stable
  return pg_relation_filenode('debits') || ' ' || pg_stat_get_tuples_deleted('debits'::regclass)
    || ' ' || pg_stat_get_tuples_inserted('enrolments'::regclass);

-- Created with the network: a later insert would have to wait for locks on the network's row.
create or replace function begin_billing_progress() returns trigger language plpgsql as $$
begin
  insert into billing_progress (network_id) values (new.id);
  return null;
end $$;

create or replace trigger begin_billing_progress after insert on networks
  for each row execute function begin_billing_progress();

-- A network's day at an instant; null if PostgreSQL does not know its time zone, as after an upgrade that dropped a
-- name, so that a statement about all networks continues without this one.
create or replace function local_day(instant timestamptz, zone text) returns date language plpgsql stable as $$
begin
  return (instant at time zone zone)::date;
exception when invalid_parameter_value then
  return null;
end $$;
