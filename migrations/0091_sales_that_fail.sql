-- A sale that its processor approved can fail days later, when its batch is settled: the money never
-- came. Until that cannot happen any more, the processor is asked; what has failed reopens its debits,
-- and counts again if the processor collects it after all.
alter table card_payments
  drop constraint card_payments_state_check,
  add constraint card_payments_state_check
    check (state in ('processing', 'captured', 'declined', 'refunded', 'failed')),
  add column failed_at timestamptz,
  add constraint card_payments_failed_when check ((state = 'failed') = (failed_at is not null)),
  add column follow_at timestamptz,
  add constraint card_payments_followed_when_sold
    check (follow_at is null or state in ('captured', 'failed', 'declined'));
alter table payment_allocations
  drop constraint payment_allocations_status_check,
  add constraint payment_allocations_status_check
    check (status in ('pending', 'approved', 'denied', 'refunded', 'failed'));

drop index card_payments_transaction;
create unique index card_payments_transaction on card_payments (network_id, processor, transaction_id)
  where state in ('captured', 'refunded', 'failed');
create index card_payments_to_follow on card_payments (follow_at) where follow_at is not null;

-- What was sold before this version is followed too; those that cannot fail are let go at the first look.
update card_payments set follow_at = now()
where state = 'captured' and settled_at > now() - interval '10 days';

create or replace function decide_share() returns trigger language plpgsql as $$
begin
  if (new.network_id, new.id, new.attorney_id, new.payment_id, new.debit_id, new.amount_cents, new.check_number)
      is distinct from
     (old.network_id, old.id, old.attorney_id, old.payment_id, old.debit_id, old.amount_cents, old.check_number) then
    raise exception 'A share of a payment never changes.' using errcode = 'restrict_violation';
  end if;
  if new.check_number is not null and (new.status = 'failed' or old.status = 'refunded') then
    raise exception 'A check does not fail, nor can a refunded one be approved again.'
      using errcode = 'restrict_violation';
  end if;
  case old.status || ' to ' || new.status
    when 'pending to approved' then
      insert into ledger_entries (network_id, debit_id, kind, amount_cents, allocation_id, actor_user_id)
      values (new.network_id, new.debit_id, 'payment', -new.amount_cents, new.id, new.decided_by);
    when 'pending to denied' then
      update debits set pending_cents = pending_cents - new.amount_cents
      where network_id = new.network_id and id = new.debit_id;
    when 'approved to refunded', 'approved to failed' then
      insert into ledger_entries (network_id, debit_id, kind, amount_cents, allocation_id, actor_user_id)
      values (new.network_id, new.debit_id, 'reversal', new.amount_cents, new.id, new.decided_by);
    when 'refunded to approved', 'failed to approved' then
      -- Reserved first, as any share is: more than what is still owed and free is refused by the debit.
      update debits set pending_cents = pending_cents + new.amount_cents
      where network_id = new.network_id and id = new.debit_id;
      insert into ledger_entries (network_id, debit_id, kind, amount_cents, allocation_id, actor_user_id)
      values (new.network_id, new.debit_id, 'payment', -new.amount_cents, new.id, new.decided_by);
    else
      raise exception 'A share of a payment cannot go from % to %.', old.status, new.status
        using errcode = 'restrict_violation';
  end case;
  return null;
end $$;

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
