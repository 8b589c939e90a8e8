-- A refund that its processor accepted can fail days later: the money is with the network again, and
-- the payment counts again. Until that cannot happen any more, the processor is asked.
alter table card_refunds
  add column follow_at timestamptz,
  add constraint card_refunds_followed_when_done check (follow_at is null or state = 'done');
create index card_refunds_to_follow on card_refunds (follow_at) where follow_at is not null;

-- A share can then be paid, taken back and paid again. That these alternate is decide_share's to see to.
drop index ledger_entries_of_allocation;
create index ledger_entries_of_allocation on ledger_entries (network_id, allocation_id)
  where allocation_id is not null;

create or replace function decide_share() returns trigger language plpgsql as $$
begin
  if (new.network_id, new.id, new.attorney_id, new.payment_id, new.debit_id, new.amount_cents, new.check_number)
      is distinct from
     (old.network_id, old.id, old.attorney_id, old.payment_id, old.debit_id, old.amount_cents, old.check_number) then
    raise exception 'A share of a payment never changes.' using errcode = 'restrict_violation';
  end if;
  case old.status || ' to ' || new.status
    when 'pending to approved' then
      insert into ledger_entries (network_id, debit_id, kind, amount_cents, allocation_id, actor_user_id)
      values (new.network_id, new.debit_id, 'payment', -new.amount_cents, new.id, new.decided_by);
    when 'pending to denied' then
      update debits set pending_cents = pending_cents - new.amount_cents
      where network_id = new.network_id and id = new.debit_id;
    when 'approved to refunded' then
      insert into ledger_entries (network_id, debit_id, kind, amount_cents, allocation_id, actor_user_id)
      values (new.network_id, new.debit_id, 'reversal', new.amount_cents, new.id, new.decided_by);
    when 'refunded to approved' then
      if new.check_number is not null then -- only a card's processor takes a refund back
        raise exception 'A refunded check cannot be approved again.' using errcode = 'restrict_violation';
      end if;
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
    when 'refunded to captured' then 'approved' end;
begin
  if share_status is null then
    raise exception 'A card payment cannot go from % to %.', old.state, new.state
      using errcode = 'restrict_violation';
  end if;
  update payment_allocations
  set status = share_status,
      decided_at = coalesce(new.refunded_at, new.settled_at),
      decided_by = case share_status when 'refunded' then new.refunded_by else new.settled_by end
  where network_id = new.network_id and payment_id = new.payment_id;
  return null;
end $$;
