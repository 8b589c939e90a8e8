-- Texts are kept with composed letters, plain single spaces and nothing invisible. From now on each request's are so
-- (src/contract/fields.ts); here are those that were kept before.

-- A text as it is kept: src/domain/cleaned.ts does the same, and a test holds the two together.
create function cleaned(value text) returns text
language sql immutable strict parallel safe
return case when value !~ '[^\n\r\t -~]|  ' then value
  else regexp_replace(
    normalize(regexp_replace(value,
      '[\u00ad\u061c\u180e\u200b-\u200f\u202a-\u202e\u2060-\u2064\u2066-\u206f\ufeff]', '', 'g'), NFC),
    '[ \u00a0\u1680\u2000-\u200a\u202f\u205f\u3000]+', ' ', 'g')
  end;

-- What is never changed keeps its texts: charges, reports, ledger entries, the audit trail, what has ended or is banked.
-- A text that has to be the only one of its kind stays as it is where another is the same already. Activity lists both.
do $$
declare
  networks bigint[];
  texts record;
  sets text;
  taken text;
  tidied bigint;
  untouched bigint;
  all_tidied bigint := 0;
  all_untouched bigint := 0;
  counted bigint;
  twins bigint := 0;
begin
  -- As in 0055: a network that is being moved is written by its mover only.
  for networks in
    select array_agg(id) from networks where id not in (select network_id from network_moves)
    union all
    select array[network_id] from network_moves
  loop
    perform set_config('referral_network.moving_network', networks[1]::text, true);
    for texts in
      select * from (values
        ('attorneys', 'id', 'attorney', '{first_name,last_name,phone,bar_number,address_line_1,address_line_2,address_city,suspension_reason,left_reason}'::text[], 'bar_number', 'true'),
        ('matters', 'id', 'matter', '{first_name,last_name,phone,address_line_1,address_line_2,address_city,note,reference}', 'reference', 'true'),
        ('matter_referrals', 'matter_id', 'matter', '{reason}', null, 'true'),
        ('firms', 'id', 'firm', '{name}', null, 'true'),
        ('plans', 'id', 'plan', '{name,description}', null, 'r.archived_at is null'),
        ('enrolments', 'id', 'enrolment', '{note}', null, 'r.archived_at is null'),
        ('received_checks', 'id', 'received check', '{note,return_note}', null, 'true'),
        ('deposits', 'id', 'deposit', '{account_name}', null, 'r.banked_at is null'),
        ('networks', 'id', 'network', '{name,postal_address,phone,account_names}', null, 'true'),
        ('users', 'id', 'user', '{name}', null, 'r.attorney_id is null'),
        ('api_tokens', 'id', 'API token', '{name}', 'name', 'true'),
        -- An attorney's account is called as the attorney is; the others are nobody's but their users'.
        ('users', 'id', null, '{name}', null, 'r.attorney_id is not null'),
        ('passkeys', 'id', null, '{name}', null, 'true'),
        ('saved_filters', 'id', null, '{name}', 'name', 'true')
      ) as t (of_table, record_id, record_type, columns, only_one, may_change)
    loop
      select string_agg(format('%1$I = coalesce(w.after ->> %1$L, r.%1$I::text)::%2$s', name,
        format_type(a.atttypid, a.atttypmod)), ', ') into sets
      from unnest(texts.columns) as name
      join pg_attribute a on a.attrelid = texts.of_table::regclass and a.attname = name;
      taken := case when texts.only_one is null then 'false' else format(
        't.key = %2$L and (row_number() over (partition by t.network_id, t.key, lower(t.becomes) order by t.id) > 1
          or exists (select from %1$I o where o.network_id = t.network_id and o.id <> t.id and lower(o.%2$I) = lower(t.becomes)))',
        texts.of_table, texts.only_one) end;
      execute format($query$
        with texts as materialized (
          select r.%2$I as network_id, r.id, r.%3$I as record_id, c.key, c.was, c.becomes
          from %1$I r
          cross join lateral (
            select key, value as was, coalesce(nullif(btrim(cleaned(value), E' \t\r\n'), ''), value) as becomes
            from jsonb_each_text(to_jsonb(r)) where key = any(%4$L::text[])
          ) as c
          where r.%2$I = any(%10$L::bigint[]) and %6$s and concat_ws(' ', %5$s) ~ '[^\n\r\t -~]|  '
            and c.becomes <> c.was and length(c.becomes) <= length(c.was)
        ), judged as (
          select *, %7$s as is_taken from texts t
        ), whole as (
          select network_id, id, record_id, jsonb_object_agg(key, was) filter (where not is_taken) as before,
            jsonb_object_agg(key, becomes) filter (where not is_taken) as after,
            jsonb_object_agg(key, was) filter (where is_taken) as kept
          from judged group by network_id, id, record_id
        ), tidied as (
          update %1$I r set %8$s from whole w
          where r.%2$I = w.network_id and r.id = w.id and w.after is not null
        ), listed as (
          insert into audit_entries (network_id, actor_name, action, record_type, record_id, before, after)
          select network_id, 'Software update', entry.action, %9$L, record_id, entry.before, entry.after
          from whole cross join lateral (values
            ('tidied text', whole.before, whole.after),
            ('left text as it was', null,
              whole.kept || jsonb_build_object('reason', 'Another record has the same without invisible characters.'))
          ) as entry (action, before, after)
          where entry.after is not null and %9$L is not null order by id
        )
        select count(after), count(kept) from whole $query$,
        texts.of_table, case texts.of_table when 'networks' then 'id' else 'network_id' end, texts.record_id,
        texts.columns, (select string_agg(format('r.%I', name), ', ') from unnest(texts.columns) as name),
        texts.may_change, taken, sets, texts.record_type, networks) into tidied, untouched;
      all_tidied := all_tidied + tidied;
      all_untouched := all_untouched + untouched;
    end loop;

    insert into audit_entries (network_id, actor_name, action, record_type, record_id, after)
    select f.network_id, 'Software update', 'found another firm of this name', 'firm', f.id,
      jsonb_build_object('name', f.name, 'other', first.name)
    from firms f
    join firms first on first.network_id = f.network_id and folded(first.name) = folded(f.name) and first.twin = 0
    where f.network_id = any(networks) and f.twin > 0 order by f.network_id, f.id;
    get diagnostics counted = row_count;
    twins := twins + counted;
  end loop;
  perform set_config('referral_network.moving_network', '', true);

  if all_tidied + all_untouched + twins > 0 then
    raise info 'Tidied the texts of % records, left those of % as they were, and found % firms with the name of another: Activity lists all but accounts, passkeys and saved filters.',
      all_tidied, all_untouched, twins;
  end if;
end $$;
