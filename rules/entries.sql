-- The book: entries change what is owed on debits and what is left of credits. No entry has a day on which the
-- books are closed.

-- A network's current day, by the transaction's clock.
create or replace function network_day(network bigint) returns date language sql stable
  return (select (clock() at time zone time_zone)::date from networks where id = network);

-- The last day of a network's closed books; null if none are closed.
create or replace function closed_through(network bigint) returns date language sql stable
  return (select through from book_closings where network_id = network order by id desc limit 1);

-- Per statement, since billing and automatic credit write in sets. A charge entry changes nothing, because its
-- debit began with it. Closing the books waits for transactions that write entries, through the lock that they
-- share. A connection keeps the plans of its first entries: the settings make each row be looked up by its key,
-- however many there are.
create or replace function post_entries() returns trigger language plpgsql
  set enable_nestloop = on set enable_hashjoin = off set enable_mergejoin = off set enable_seqscan = off as $$
declare
  written record;
begin
  for written in
    select network_id, min(day) as first_day, bool_or(cause <> 'charge' and debit_id is not null) as moves_debits,
      bool_or(credit_id is not null) as moves_credits
    from new_entries group by network_id order by network_id
  loop
    perform pg_advisory_xact_lock_shared(14, (written.network_id % 2147483647)::integer);
    if written.first_day <= closed_through(written.network_id) then
      raise exception 'The books are closed through %.', to_char(closed_through(written.network_id), 'FMMonth FMDD, YYYY')
        using errcode = 'restrict_violation', constraint = 'entries_closed_day';
    end if;
    if written.moves_credits then
      update credits c set left_cents = left_cents + moved.amount_cents
      from (
        select credit_id, sum(credit_cents)::bigint as amount_cents
        from new_entries where network_id = written.network_id and credit_id is not null group by credit_id
      ) as moved
      where c.network_id = written.network_id and c.id = moved.credit_id;
    end if;
    if written.moves_debits then
      -- A payment also ends the reservation of its share.
      update debits d set balance_cents = balance_cents + moved.owed_cents, pending_cents = pending_cents - moved.paid_cents
      from (
        select debit_id, sum(owed_cents)::bigint as owed_cents,
          coalesce(sum(amount_cents) filter (where cause = 'payment'), 0)::bigint as paid_cents
        from new_entries where network_id = written.network_id and debit_id is not null and cause <> 'charge'
        group by debit_id
      ) as moved
      where d.network_id = written.network_id and d.id = moved.debit_id;
    end if;
  end loop;
  return null;
end $$;

create or replace trigger post after insert on entries
  referencing new table as new_entries for each statement execute function post_entries();

-- Entries that follow from a debit, a share, a check or a deposit are only written by the database, in the
-- statement that causes them: a payment written by hand would lower a balance while its share still counts as
-- pending. Credit from held money does not follow from a decision on a check.
create or replace function refuse_loose_entry() returns trigger language plpgsql as $$
begin
  if pg_trigger_depth() < 2 then
    raise exception 'An entry of this kind follows from what it is about, and only so.'
      using errcode = 'restrict_violation';
  end if;
  return new;
end $$;

create or replace trigger written_by_cause before insert on entries
  for each row when (new.cause in ('payment', 'reversal', 'deposit', 'held', 'held_reversed', 'return_charged', 'unapplied')
    or (new.cause = 'credit_received' and new.to_account = 'undeposited'))
  execute function refuse_loose_entry();

-- Credit of a card payment goes back to the card only by a refund. A chargeback takes it first, and must find it.
create or replace function keep_credit_of_card() returns trigger language plpgsql as $$
begin
  if exists (
    select from credits k join card_payments c on c.network_id = k.network_id and c.payment_id = k.payment_id
    where k.network_id = new.network_id and k.id = new.credit_id
  ) then
    raise exception 'Credit of a card payment goes back to the card only.' using errcode = 'restrict_violation';
  end if;
  return new;
end $$;

create or replace trigger keep_credit_of_card before insert on entries
  for each row when (new.cause = 'credit_given_back') execute function keep_credit_of_card();
