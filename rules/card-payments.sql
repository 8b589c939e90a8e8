-- Only the encryption may change, when its keys are rotated.
create or replace function keep_card_processor() returns trigger language plpgsql as $$
begin
  if (new.network_id, new.id, new.processor, new.live, new.sandbox, new.brandmarks, new.public_keys)
      is distinct from
     (old.network_id, old.id, old.processor, old.live, old.sandbox, old.brandmarks, old.public_keys) then
    raise exception 'A version of the card settings never changes: add another.'
      using errcode = 'restrict_violation';
  end if;
  return new;
end $$;

create or replace trigger keep before update on card_processors
  for each row execute function keep_card_processor();

-- What a card payment pays, and with what, is fixed before its processor is asked.
create or replace function keep_card_payment() returns trigger language plpgsql as $$
begin
  if (new.network_id, new.payment_id, new.attorney_id, new.processor, new.card_processor_id,
      new.session_id, new.reference, new.token_hash, new.shares_hash, new.idempotency_key)
      is distinct from
     (old.network_id, old.payment_id, old.attorney_id, old.processor, old.card_processor_id,
      old.session_id, old.reference, old.token_hash, old.shares_hash, old.idempotency_key) then
    raise exception 'What a card payment pays, and with what, never changes.'
      using errcode = 'restrict_violation';
  end if;
  if old.state <> 'processing' and new.transaction_id is distinct from old.transaction_id then
    raise exception 'A settled card payment keeps its transaction.' using errcode = 'restrict_violation';
  end if;
  return new;
end $$;

create or replace trigger keep before update on card_payments
  for each row execute function keep_card_payment();

-- It is reserved before its processor is asked, and counts once the processor has answered.
create or replace function begin_card_payment() returns trigger language plpgsql as $$
begin
  if new.state <> 'processing' then
    raise exception 'A card payment begins processing.' using errcode = 'restrict_violation';
  end if;
  return new;
end $$;

create or replace trigger begin before insert on card_payments
  for each row execute function begin_card_payment();

-- The answer about a charge ends its processing. From then on, its state follows from its transactions.
create or replace function keep_card_state() returns trigger language plpgsql as $$
begin
  if (old.state <> 'processing' or new.state not in ('captured', 'declined')) and pg_trigger_depth() < 2 then
    raise exception 'A card payment cannot go from % to % but by its transactions.', old.state, new.state
      using errcode = 'restrict_violation';
  end if;
  return new;
end $$;

create or replace trigger keep_state before update on card_payments
  for each row when (new.state <> old.state or new.received_cents <> old.received_cents) execute function keep_card_state();

-- The shares follow: captured posts them to the book together with new credit, declined releases them.
create or replace function settle_card_payment() returns trigger language plpgsql as $$
begin
  update payment_allocations
  set status = case new.state when 'captured' then 'approved' else 'denied' end,
    decided_at = new.settled_at, decided_by = new.settled_by
  where network_id = new.network_id and payment_id = new.payment_id;
  if new.state = 'declined' then
    return null;
  end if;
  with received as (
    insert into credits (network_id, attorney_id, payment_id, amount_cents)
    select network_id, attorney_id, id, credit_cents from payments
    where network_id = new.network_id and id = new.payment_id and credit_cents > 0
    returning *
  )
  insert into entries (network_id, cause, from_account, to_account, amount_cents, day, attorney_id, credit_id, reference,
    note, actor_user_id)
  select network_id, 'credit_received', 'credit', 'clearing:' || new.processor, amount_cents, network_day(network_id),
    attorney_id, id, new.transaction_id, 'Card payment', new.settled_by
  from received;
  insert into card_transactions (network_id, payment_id, kind, amount_cents, happened_on, processor_id, done_by,
    actor_user_id)
  select network_id, id, 'purchase', amount_cents, network_day(network_id), new.transaction_id, 'processor', new.settled_by
  from payments where network_id = new.network_id and id = new.payment_id;
  return null;
end $$;

create or replace trigger settle after update on card_payments
  for each row when (old.state = 'processing' and new.state <> 'processing') execute function settle_card_payment();

-- What a transaction adds to what was received.
create or replace function signed_cents(kind text, amount_cents bigint) returns bigint
  language sql immutable parallel safe
  return case when kind in ('purchase', 'chargeback_reversed') then amount_cents else -amount_cents end;

-- A card payment's amount received and its state follow from its transactions.
create or replace function count_transaction() returns trigger language plpgsql as $$
declare
  more constant bigint := signed_cents(new.kind, new.amount_cents);
begin
  update card_payments c
  set received_cents = c.received_cents + more, state = after.state,
    refunded_at = case after.state when 'refunded' then new.created_at end,
    refunded_by = case after.state when 'refunded' then new.actor_user_id end,
    failed_at = case after.state when 'failed' then new.created_at end
  from (
    select case when received_cents + more > 0 then 'captured' else case new.kind
      when 'refund' then 'refunded' when 'chargeback' then 'charged_back' else 'failed' end end as state
    from card_payments where network_id = new.network_id and payment_id = new.payment_id
  ) as after
  where c.network_id = new.network_id and c.payment_id = new.payment_id;
  return null;
end $$;

create or replace trigger count after insert on card_transactions
  for each row execute function count_transaction();

-- A transaction never changes, with three exceptions: its processor's id and its refund may become known later, and a
-- person marks it as seen once.
create or replace function keep_transaction() returns trigger language plpgsql as $$
begin
  if (new.network_id, new.id, new.payment_id, new.kind, new.amount_cents, new.happened_on, new.done_by, new.note,
      new.actor_user_id, new.created_at)
      is distinct from
     (old.network_id, old.id, old.payment_id, old.kind, old.amount_cents, old.happened_on, old.done_by, old.note,
      old.actor_user_id, old.created_at)
    or (old.refund_id is not null and new.refund_id is distinct from old.refund_id)
    or (old.processor_id is not null and new.processor_id is distinct from old.processor_id)
    or (old.seen_at is not null and (new.seen_at, new.seen_by) is distinct from (old.seen_at, old.seen_by)) then
    raise exception 'What has happened to a card payment never changes.' using errcode = 'restrict_violation';
  end if;
  return new;
end $$;

create or replace trigger keep before update on card_transactions
  for each row execute function keep_transaction();

-- What the entries of a card payment moved at its processor: those of its shares and its credit.
create or replace function cleared_cents(network bigint, payment bigint) returns bigint
  language sql stable
  return (
    select coalesce(sum(case when e.to_account like 'clearing:%' then e.amount_cents else -e.amount_cents end), 0)::bigint
    from (
      select e.* from payment_allocations s
      join entries e on e.network_id = s.network_id and e.allocation_id = s.id
      where s.network_id = network and s.payment_id = payment
      union all
      select e.* from credits k
      join entries e on e.network_id = k.network_id and e.credit_id = k.id
      where k.network_id = network and k.payment_id = payment
    ) as e
    where e.to_account like 'clearing:%' or e.from_account like 'clearing:%');

-- When a transaction ends, what was received by card must equal its entries. Shares that moved with a card
-- transaction are verified with it, once, however many there are.
create or replace function prove_card_payment() returns trigger language plpgsql as $$
begin
  if tg_table_name = 'payment_allocations' and exists (
    select from card_transactions t
    where t.network_id = new.network_id and t.payment_id = new.payment_id and t.xmin = pg_current_xact_id()::xid
  ) then
    return null;
  end if;
  if (
    select c.received_cents <> cleared_cents(c.network_id, c.payment_id) or c.received_cents > p.amount_cents
      or c.received_cents <> (
        select sum(signed_cents(t.kind, t.amount_cents)) from card_transactions t
        where t.network_id = c.network_id and t.payment_id = c.payment_id)
    from card_payments c join payments p on p.network_id = c.network_id and p.id = c.payment_id
    where c.network_id = new.network_id and c.payment_id = new.payment_id
  ) then
    raise exception 'What was received by a card is what its transactions and its entries come to.'
      using errcode = 'check_violation';
  end if;
  return null;
end $$;

create constraint trigger proven after insert on card_transactions deferrable initially deferred
  for each row execute function prove_card_payment();

create constraint trigger proven after update on payment_allocations deferrable initially deferred
  for each row when (new.check_number is null and old.status <> 'pending') execute function prove_card_payment();

-- A card payment has its card side when its transaction ends, and its shares move only with that: nothing can be
-- captured without asking a processor.
create or replace function require_card_side() returns trigger language plpgsql as $$
begin
  if not exists (
    select from card_payments where network_id = new.network_id and payment_id = new.id) then
    raise exception 'A payment by card is made with its processor and reference.'
      using errcode = 'restrict_violation';
  end if;
  return null;
end $$;

create constraint trigger card_side after insert on payments deferrable initially deferred
  for each row when (new.method = 'online') execute function require_card_side();

-- The shares of a card payment are decided with its card side. What is reversed later is verified at the end of the
-- transaction.
create or replace function keep_card_share() returns trigger language plpgsql as $$
begin
  if pg_trigger_depth() < 2 then
    raise exception 'A share of a card payment is decided with its payment, and only so.'
      using errcode = 'restrict_violation';
  end if;
  return new;
end $$;

create or replace trigger follow_card before update on payment_allocations
  for each row when (old.check_number is null and old.status = 'pending') execute function keep_card_share();

-- A check has no card side.
create or replace function refuse_card_side_of_check() returns trigger language plpgsql as $$
begin
  if (select method from payments where network_id = new.network_id and id = new.payment_id) <> 'online' then
    raise exception 'A check has no card side.' using errcode = 'restrict_violation';
  end if;
  return null;
end $$;

create or replace trigger only_for_cards after insert on card_payments
  for each row execute function refuse_card_side_of_check();
