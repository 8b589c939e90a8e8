-- What we export can be imported again, and a network's own headings are known again.

-- A text that begins with apostrophes before a formula gets one more, so that an import can take off the one that
-- was put there. The same as `guarded` in src/domain/formula-guard.ts.
create or replace function spreadsheet_text(value text) returns text
  language sql immutable parallel safe
  return case when ascii(value) in (61, 43, 45, 64, 9, 13, 10)
      or (ascii(value) = 39 and value ~ '^''+[-=+@\t\r\n]') then '''' else '' end
    || case when value !~ '[;\r\n]' then value
      else regexp_replace(value, '(;(?=''*"*[-=+@\t\r\n])|[\r\n](?=''*"*[-=+@\t]))', '\1''', 'g') end;

-- As in 0060, with bar numbers that lack zeros, our own number of a referral, and the referrals that a row may be.
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
      -- A bar number that is the attorney's but for zeros at the front: theirs stays.
      bar_number_without_zeros text,
      becomes text
    ) on commit drop;
  when 'imported_matters' then
    create temporary table imported_matters (
      line integer primary key, reference text, first_name text, last_name text, phone text, email text,
      address_line_1 text, address_line_2 text, address_city text, address_region text, address_zip text,
      contact_preference text, followup_consent boolean, note text, attorney text,
      submitted_on date, referred_on date, last_report_on date, closed_on date,
      -- Our own number, in a file that we have exported.
      referral_id bigint,
      -- What the file says once it is filled in for a referral that is not known yet.
      submitted_day date, referred_day date,
      -- Referrals that the row may be, where it does not say which.
      alike text,
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

-- What a network has said that the columns of its files hold, whose headings the product does not know: a field of the
-- record, or 'none' for a column that is left out.
create table import_columns (
  network_id bigint not null references networks on delete cascade,
  record_type text not null check (record_type in ('attorney', 'matter')),
  heading text not null check (length(heading) between 1 and 200),
  holds text not null,
  primary key (network_id, record_type, heading)
);
