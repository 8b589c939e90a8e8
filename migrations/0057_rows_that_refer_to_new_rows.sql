-- A foreign key looks up each row that new rows refer to, by a plan that lasts until the statistics of that
-- table change. Another session that analyzes the table meanwhile, mostly autovacuum, does not count rows that
-- are not committed. Of a table without other rows its statistics say that it is empty: then each index seems as
-- good as another, and each look-up may read all rows of the network. So the table is analyzed before rows that
-- refer to its new rows are inserted. This transaction counts its own rows, and the lock of its analysis keeps
-- other sessions from analyzing the table until the commit (docs/decisions/087).
--
-- A table that has enough other rows is left alone: so many, and ten for each network, since of many tiny networks the
-- statistics say too little, too. So is one that somebody vacuums for longer than the lock is waited for; after such a
-- wait this transaction waits for no other table.
create function analyze_referred(referred regclass, new_rows bigint) returns void
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

create or replace function charge_new_debits() returns trigger language plpgsql as $$
declare
  debits bigint;
  wrong bigint;
begin
  select count(*), count(*) filter (where balance_cents <> amount_cents or pending_cents <> 0)
  into debits, wrong from new_debits;
  if wrong > 0 then
    raise exception 'A debit begins with its whole amount owed and nothing pending.'
      using errcode = 'restrict_violation';
  end if;
  if debits >= 1000 then
    perform analyze_referred('debits', debits);
  end if;
  insert into ledger_entries (network_id, debit_id, kind, amount_cents, actor_user_id, created_at)
  select network_id, id, 'charge', amount_cents, created_by, created_at from new_debits;
  return null;
end $$;

create or replace function begin_referrals() returns trigger language plpgsql as $$
declare
  matters bigint := (select count(*) from new_rows);
begin
  if matters >= 1000 then
    perform analyze_referred('matters', matters);
  end if;
  insert into matter_referrals (network_id, matter_id, attorney_id, referred_at, ended_at, ended)
  select network_id, id, attorney_id, referred_at, closed_at, case when closed_at is not null then 'closed' end
  from new_rows where attorney_id is not null order by network_id, id;
  return null;
end $$;
