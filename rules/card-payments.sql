-- Only the encryption may change, when the keys under it are rotated.
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

-- What a card payment pays, and with what, is settled before its processor is asked.
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

-- The shares follow: captured posts them to the ledger, declined releases them, refunded and failed
-- reverse them.
create or replace function settle_card_payment() returns trigger language plpgsql as $$
declare
  share_status text := case old.state || ' to ' || new.state
    when 'processing to captured' then 'approved'
    when 'processing to declined' then 'denied'
    when 'captured to refunded' then 'refunded'
    when 'refunded to captured' then 'approved'
    when 'captured to failed' then 'failed'
    when 'failed to captured' then 'approved' end;
begin
  if share_status is null then
    raise exception 'A card payment cannot go from % to %.', old.state, new.state
      using errcode = 'restrict_violation';
  end if;
  update payment_allocations
  set status = share_status,
      decided_at = coalesce(new.failed_at, new.refunded_at, new.settled_at),
      decided_by = case share_status
        when 'refunded' then new.refunded_by when 'failed' then null else new.settled_by end
  where network_id = new.network_id and payment_id = new.payment_id;
  return null;
end $$;

create or replace trigger settle after update on card_payments
  for each row when (new.state <> old.state) execute function settle_card_payment();

-- A payment by card has its card side when its transaction ends, and its shares move with that alone:
-- nothing can be captured that no processor was asked about.
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

-- The shares of a card payment move with its card side, and only so.
create or replace function keep_card_share() returns trigger language plpgsql as $$
begin
  if pg_trigger_depth() < 2 then
    raise exception 'A share of a card payment is decided with its payment, and only so.'
      using errcode = 'restrict_violation';
  end if;
  return new;
end $$;

create or replace trigger follow_card before update on payment_allocations
  for each row when (old.check_number is null) execute function keep_card_share();

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

-- Card money for which nothing was owed is set apart in its processor's clearing account until it is given back.
create or replace function set_unapplied_apart() returns trigger language plpgsql as $$
declare
  account constant text := 'clearing:' || new.processor;
  more bigint := case when new.resolved_at is null then new.amount_cents else 0 end
    - case when tg_op = 'UPDATE' and old.resolved_at is null then old.amount_cents else 0 end;
begin
  insert into entries (network_id, cause, from_account, to_account, amount_cents, day, attorney_id,
    reference, note)
  select new.network_id, 'unapplied', case when more > 0 then account || ' (unapplied)' else account end,
    case when more > 0 then account else account || ' (unapplied)' end, abs(more), network_day(new.network_id),
    new.attorney_id, new.transaction_id, 'Unapplied charge'
  where more <> 0;
  return null;
end $$;

create or replace trigger set_apart after insert or update on unapplied_payments
  for each row execute function set_unapplied_apart();
