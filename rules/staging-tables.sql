-- The role that serves requests may not create temporary tables. On its own table it could put a trigger and change
-- what the ledger's triggers protect, and a table with the name of ours would be written instead. So it borrows the
-- tables that it needs, created by the owner, until the transaction ends: the rows of a file while they are
-- compared, and what `seed` generates.
create or replace function create_staging_table(wanted text) returns void
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
begin
  case wanted
  when 'imported_rows' then
    create temporary table imported_rows (
      line integer primary key, first_name text, last_name text, email text, phone text, bar_number text,
      address_line_1 text, address_line_2 text, address_city text, address_region text, address_zip text,
      asked_email text, firm text, firm_id bigint, known_by_bar_number bigint, known_by_email bigint,
      attorney_id bigint generated always as (coalesce(known_by_bar_number, known_by_email)) stored,
      -- A bar number equal to the attorney's except for leading zeros: the attorney's stays.
      bar_number_without_zeros text,
      becomes text
    ) on commit drop;
  when 'imported_matters' then
    create temporary table imported_matters (
      line integer primary key, reference text, first_name text, last_name text, phone text, email text,
      address_line_1 text, address_line_2 text, address_city text, address_region text, address_zip text,
      contact_preference text, followup_consent boolean, note text, attorney text,
      submitted_on date, referred_on date, last_report_on date, closed_on date,
      -- Our own number, in a file that we exported.
      referral_id bigint,
      -- What the file says, completed, for a referral that is not known yet.
      submitted_day date, referred_day date,
      -- Referrals that the row may mean, if it does not say which.
      alike text,
      attorney_id bigint, matter_id bigint,
      -- What happens with the referral, and its resulting state.
      becomes text, will_be text, will_have bigint, will_be_due date
    ) on commit drop;
  when 'seeded_outcomes' then
    create temporary table seeded_outcomes (
      network_id bigint, attorney_id bigint, debit_id bigint, amount_cents bigint, number bigint,
      outcome text, paid_cents bigint, adjusted_cents bigint, happened_at timestamptz, check_number text
    ) on commit drop;
  end case;
  execute format('grant select, insert, update, delete on pg_temp.%I to %I', wanted, session_user);
end $$;

-- Update the planner's statistics after a bulk insert (src/kit/db/planner-settings.ts). Only a table's owner may
-- ANALYZE, and requests are not served as the owner (docs/decisions/066-two-roles-and-an-image-without-demo.md). A
-- role that may insert into a table may have it analyzed here, once per statement, for our tables and staged rows.
create or replace function analyze_tables(tables regclass[]) returns void
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  inserted_into regclass;
begin
  for inserted_into in select distinct unnest(tables) loop
    if not has_table_privilege(session_user, inserted_into, 'insert') or not exists (
      select from pg_class c where c.oid = inserted_into and c.relkind = 'r'
        and c.relnamespace in ('public'::regnamespace, pg_my_temp_schema())) then
      raise insufficient_privilege using message = format('permission denied to analyze %s', inserted_into);
    end if;
    execute format('analyze (skip_locked) %s', inserted_into);
  end loop;
end $$;

-- A foreign key looks up each row that new rows refer to, by a plan that lasts until the statistics of that table
-- change. Another session that analyzes the table at that time, mostly autovacuum, does not count rows that are not
-- committed. Of a table without other rows its statistics say that it is empty: then each index seems as good as
-- another, and each look-up may read all rows of the network. So the table is analyzed before rows that refer to its
-- new rows are inserted. This transaction counts its own rows, and the lock of its analysis keeps other sessions from
-- analyzing the table until the commit (docs/decisions/087).
--
-- A table that has enough other rows is left alone: so many, and ten for each network, since of many tiny networks the
-- statistics say too little, too. So is one that somebody vacuums for longer than the lock is waited for; after such a
-- wait this transaction waits for no other table.
create or replace function analyze_referred(referred regclass, new_rows bigint) returns void
language plpgsql security definer set search_path = pg_catalog, pg_temp set lock_timeout = '3s' as $$
declare
  enough constant bigint := greatest(2000, (select 10 * reltuples from pg_class where oid = 'public.networks'::regclass));
  seen bigint;
begin
  if new_rows < 1000 or current_setting('referral_network.waited_to_analyze', true) = 'yes' then
    return;
  end if;
  if not has_table_privilege(session_user, referred, 'insert') then
    raise insufficient_privilege using message = format('permission denied to analyze %s', referred);
  end if;
  execute format('select count(*) from (select from %s limit %s) as looked_at', referred, new_rows + enough) into seen;
  if seen = new_rows + enough and (select reltuples from pg_class where oid = referred) >= enough then
    return;
  end if;
  begin
    execute format('lock table %s in share update exclusive mode', referred);
    execute format('analyze %s (network_id)', referred);
  exception when lock_not_available or deadlock_detected then
    perform set_config('referral_network.waited_to_analyze', 'yes', true);
  end;
end $$;
