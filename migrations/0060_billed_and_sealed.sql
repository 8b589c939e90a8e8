-- What the database had counted when a network was last known to be billed through its day: while it
-- says the same, nothing can be missing, and a run for a day that is billed has nothing to look for.
alter table networks add billed_seal text;

-- Debits taken out and enrolments put in, by whatever hand and with whatever triggers off: PostgreSQL
-- counts them itself. The file changes when the table is emptied or restored. The counts are of the
-- whole database and lost in a crash; a seal that does not fit only means that a run looks.
create function billing_seal() returns text
  language sql stable
  return pg_relation_filenode('debits') || ' ' || pg_stat_get_tuples_deleted('debits'::regclass)
    || ' ' || pg_stat_get_tuples_inserted('enrolments'::regclass);

-- The same rule as before, a third of the time: date_part counts in floating point, where these are
-- exact, extract in decimals; and only a day before the start's day of the month can be too early.
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
