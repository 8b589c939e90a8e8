-- A spreadsheet that splits at semicolons begins a cell behind each of them, and a row behind each line break: there,
-- too, an apostrophe stands before what it would run. The same as `spreadsheetText` in src/features/exports/csv-text.ts.
create or replace function spreadsheet_text(value text) returns text
  language sql immutable parallel safe
  return case when ascii(value) in (61, 43, 45, 64, 9, 13, 10) then '''' else '' end
    || case when value !~ '[;\r\n]' then value
      else regexp_replace(value, '(;(?="*[-=+@\t\r\n])|[\r\n](?="*[-=+@\t]))', '\1''', 'g') end;

-- Who serves requests may make no temporary table: on one of its own it could put a trigger, in which it would change
-- what the triggers of the ledger keep from everybody but themselves, and one called as a table of ours would be
-- written in its place. It is lent those that it needs, each as the owner's, until the transaction ends: the rows of a
-- file while they are compared, and what `seed` makes up.
create function create_staging_table(wanted text) returns void
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
begin
  case wanted
  when 'imported_rows' then
    create temporary table imported_rows (
      line integer primary key, first_name text, last_name text, email text, phone text, bar_number text,
      address_line_1 text, address_line_2 text, address_city text, address_region text, address_zip text,
      asked_email text, firm text, firm_id bigint, known_by_bar_number bigint, known_by_email bigint,
      attorney_id bigint generated always as (coalesce(known_by_bar_number, known_by_email)) stored,
      becomes text
    ) on commit drop;
  when 'imported_matters' then
    create temporary table imported_matters (
      line integer primary key, reference text, first_name text, last_name text, phone text, email text,
      address_line_1 text, address_line_2 text, address_city text, address_region text, address_zip text,
      contact_preference text, followup_consent boolean, note text, attorney text,
      submitted_on date, referred_on date, last_report_on date, closed_on date,
      -- What the file says once it is filled in for a referral that is not known yet.
      submitted_day date, referred_day date,
      attorney_id bigint, matter_id bigint,
      -- What becomes of the referral, and how it will stand.
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

-- As in 0039, for each table once, and for tables of ours and such staged rows alone.
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
