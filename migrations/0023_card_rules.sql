-- A payment by card has its card side when its transaction ends, and its shares move with that alone:
-- nothing can be captured that no processor was asked about.
create function require_card_side() returns trigger language plpgsql as $$
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

create function keep_card_share() returns trigger language plpgsql as $$
begin
  if pg_trigger_depth() < 2 then
    raise exception 'A share of a card payment is decided with its payment, and only so.'
      using errcode = 'restrict_violation';
  end if;
  return new;
end $$;
create trigger follow_card before update on payment_allocations
  for each row when (old.check_number is null) execute function keep_card_share();

create function refuse_card_side_of_check() returns trigger language plpgsql as $$
begin
  if (select method from payments where network_id = new.network_id and id = new.payment_id) <> 'online' then
    raise exception 'A check has no card side.' using errcode = 'restrict_violation';
  end if;
  return null;
end $$;
create trigger only_for_cards after insert on card_payments
  for each row execute function refuse_card_side_of_check();

create index card_refunds_of_payment on card_refunds (network_id, payment_id, id);
create index card_refunds_of_unapplied on card_refunds (network_id, unapplied_payment_id);
create index unapplied_payments_of_attorney on unapplied_payments (network_id, attorney_id, payment_id);
