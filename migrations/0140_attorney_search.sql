-- Attorneys are searched as referrals are (0030): anywhere in the text, phone numbers as they are
-- written and as bare digits.
alter table attorneys add column search_text text not null generated always as (
  lower(first_name || ' ' || last_name || ' ' || email || ' ' || phone || ' '
    || regexp_replace(phone, '[^0-9]', '', 'g') || ' ' || bar_number)
) stored;
create index attorneys_search on attorneys using gin (network_id, search_text gin_trgm_ops);
