-- Names are searched and compared as `folded` writes them, and sorted by the collation `people` (0066).

-- Phone numbers as they are written and as bare digits. The name is the first line, for what ranks by it
-- (src/db/name-rank.ts); it ends with a space, as each word does.
alter table attorneys drop column search_text, add column search_text text not null generated always as (
  folded(first_name || ' ' || last_name) || E' \n ' || folded(email || ' ' || phone || ' '
    || regexp_replace(phone, '[^0-9]', '', 'g') || ' ' || bar_number)
) stored;
create index attorneys_search on attorneys using gin (network_id, search_text gin_trgm_ops);

alter table matters drop column search_text, add column search_text text not null generated always as (
  folded(first_name || ' ' || last_name || ' ' || email || ' ' || phone || ' '
    || regexp_replace(phone, '[^0-9]', '', 'g') || ' ' || address_city || ' ' || reference)
) stored;
create index matters_search on matters using gin (network_id, search_text gin_trgm_ops);
-- With the text, so that what a search has found is counted without reading the table itself.
create index matters_by_status on matters (network_id, status, id) include (search_text);

drop index firms_search, plans_search;
alter table firms add column search_text text not null generated always as (
  folded(name) || E' \n ' || folded(billing_email)
) stored;
create index firms_search on firms using gin (network_id, search_text gin_trgm_ops);
create index plans_search on plans using gin (network_id, folded(name) gin_trgm_ops);

-- How names begin, in both orders; of the same client, the newest referral first.
drop index attorneys_by_first_name, attorneys_by_last_name, matters_by_first_name, matters_by_last_name,
  matters_by_client, firms_by_name, plans_by_name;
create index attorneys_by_first_name on attorneys
  (network_id, folded(first_name || ' ' || last_name) text_pattern_ops);
create index attorneys_by_last_name on attorneys
  (network_id, folded(last_name || ' ' || first_name) text_pattern_ops);
create index matters_by_first_name on matters
  (network_id, folded(first_name || ' ' || last_name) text_pattern_ops);
create index matters_by_client on matters
  (network_id, folded(last_name || ' ' || first_name) text_pattern_ops, id);
create index firms_by_name on firms (network_id, folded(name) text_pattern_ops);
create index plans_by_name on plans (network_id, folded(name) text_pattern_ops);

-- The order of lists.
drop index attorneys_by_name;
create index attorneys_by_name on attorneys
  (network_id, last_name collate people, first_name collate people, id);
create index matters_by_name on matters
  (network_id, last_name collate people, first_name collate people, id);

-- Firms of one name, however it is written, are one. Those that were made before this rule keep their names: the first
-- is 0, and each later one has a number of its own.
alter table firms add column twin smallint not null default 0;
do $$ -- as in 0055: a network that is being moved is written by its mover only
declare
  networks bigint[];
begin
  for networks in
    select array_agg(id) from networks where id not in (select network_id from network_moves)
    union all
    select array[network_id] from network_moves
  loop
    perform set_config('referral_network.moving_network', networks[1]::text, true);
    update firms set twin = numbered.twin
    from (
      select network_id, id, row_number() over (partition by network_id, folded(name) order by id) - 1 as twin
      from firms where network_id = any(networks)
    ) as numbered
    where firms.network_id = numbered.network_id and firms.id = numbered.id and numbered.twin > 0;
  end loop;
  perform set_config('referral_network.moving_network', '', true);
end $$;
drop index firms_name;
create unique index firms_name on firms (network_id, folded(name), twin);
