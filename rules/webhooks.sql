-- An endpoint removed at the same moment used to break the statement that sends the message: a payment was refused.
-- So endpoints are locked first, as the foreign key does afterwards. An endpoint that was being removed is gone by
-- the second statement.
create or replace function deliver_webhook_messages() returns trigger language plpgsql as $$
begin
  perform from webhook_endpoints
  where network_id = any (array(select distinct network_id from new_messages))
  order by network_id, id for key share;
  insert into webhook_deliveries (network_id, endpoint_id, message_id)
  select m.network_id, e.id, m.id
  from new_messages m
  join webhook_endpoints e on e.network_id = m.network_id and e.active and m.type = any (e.event_types)
  order by m.id, e.id;
  return null;
end $$;

create or replace trigger deliver after insert on webhook_messages
  referencing new table as new_messages for each statement execute function deliver_webhook_messages();

-- If no endpoint wants an event, a statement on the tables below only costs a look at a small table. Statements for
-- many rows are planned each time (execute): otherwise a connection would keep the plan for one row for the next
-- statement's ten thousand.
create or replace function webhook_amount(cents bigint) returns text
  language sql immutable
  return (cents / 100.0)::numeric(14, 2)::text;

create or replace function tell_webhooks_of_debits() returns trigger language plpgsql as $$
begin
  if exists (select from webhook_endpoints where active and event_types && '{debit.created}') then
    execute $query$
      insert into webhook_messages (network_id, type, data)
      select network_id, 'debit.created', json_build_object('debit_id', id, 'attorney_id', attorney_id,
        'enrolment_id', enrolment_id, 'charge_id', charge_id, 'amount', webhook_amount(amount_cents),
        'due_on', due_on)
      from new_rows n
      where exists (select from webhook_endpoints e
        where e.network_id = n.network_id and e.active and 'debit.created' = any (e.event_types))
      order by id $query$;
  end if;
  return null;
end $$;

create or replace trigger tell_webhooks after insert on debits
  referencing new table as new_rows for each statement execute function tell_webhooks_of_debits();

create or replace function tell_webhooks_of_payments() returns trigger language plpgsql as $$
begin
  if exists (select from webhook_endpoints where active and event_types && '{payment.recorded}') then
    execute $query$
      insert into webhook_messages (network_id, type, data)
      select network_id, 'payment.recorded', json_build_object('payment_id', id, 'attorney_id', attorney_id,
        'check_id', received_check_id, 'method', case method when 'online' then 'card' else method end,
        'amount', webhook_amount(amount_cents))
      from new_rows n
      where exists (select from webhook_endpoints e
        where e.network_id = n.network_id and e.active and 'payment.recorded' = any (e.event_types))
      order by id $query$;
  end if;
  return null;
end $$;

create or replace trigger tell_webhooks after insert on payments
  referencing new table as new_rows for each statement execute function tell_webhooks_of_payments();

-- A check is decided as a whole. Each of its payments is announced with the decision on its shares and, for the
-- approved part, its credit. If a part of a payment was denied, both are announced.
create or replace function tell_webhooks_of_checks() returns trigger language plpgsql as $$
begin
  if exists (select from webhook_endpoints
      where active and event_types && '{payment.approved,payment.denied,payment.returned}') then
    execute $query$
      insert into webhook_messages (network_id, type, data)
      select p.network_id, part.type, json_build_object('payment_id', p.id, 'attorney_id', p.attorney_id,
        'check_id', c.id, 'method', 'check', 'amount', webhook_amount(part.amount_cents),
        'payment_amount', webhook_amount(p.amount_cents))
      from new_rows c
      join old_rows o on o.network_id = c.network_id and o.id = c.id and o.status <> c.status
      join payments p on p.network_id = c.network_id and p.received_check_id = c.id
      cross join lateral (
        select 'payment.' || status as type, sum(amount_cents)::bigint as amount_cents from (
          select status, amount_cents from payment_allocations
          where network_id = p.network_id and payment_id = p.id
          union all
          select case c.status when 'mixed' then 'approved' else c.status end, p.credit_cents
          where p.credit_cents > 0
        ) as shares
        where status = any (case c.status when 'returned' then '{returned}' else '{approved,denied}' end::text[])
        group by status
      ) as part
      where exists (select from webhook_endpoints e
        where e.network_id = c.network_id and e.active and part.type = any (e.event_types))
      order by p.id, part.type $query$;
  end if;
  return null;
end $$;

create or replace trigger tell_webhooks after update on received_checks
  referencing old table as old_rows new table as new_rows
  for each statement execute function tell_webhooks_of_checks();

-- A charge that its processor approved and never collected is returned, like a check. If it counts again, it is
-- approved again.
create or replace function tell_webhooks_of_card(network bigint, payment bigint, told text, amount_cents bigint)
  returns void language sql as $$
  insert into webhook_messages (network_id, type, data)
  select network_id, told, json_build_object('payment_id', id, 'attorney_id', attorney_id, 'check_id', null,
    'method', 'card', 'amount', webhook_amount(coalesce($4, p.amount_cents)), 'payment_amount', webhook_amount(p.amount_cents))
  from payments p
  where p.network_id = network and p.id = payment and exists (
    select from webhook_endpoints w where w.network_id = network and w.active and told = any (w.event_types))
$$;

create or replace function tell_webhooks_of_declined() returns trigger language plpgsql as $$
begin
  perform tell_webhooks_of_card(new.network_id, new.payment_id, 'payment.denied', null);
  return null;
end $$;

create or replace trigger tell_webhooks after update on card_payments
  for each row when (old.state = 'processing' and new.state = 'declined') execute function tell_webhooks_of_declined();

create or replace function tell_webhooks_of_transaction() returns trigger language plpgsql as $$
begin
  perform tell_webhooks_of_card(new.network_id, new.payment_id, case new.kind when 'refund' then 'payment.refunded'
    when 'chargeback' then 'payment.charged_back' when 'failed' then 'payment.returned' else 'payment.approved' end,
    new.amount_cents);
  return null;
end $$;

create or replace trigger tell_webhooks after insert on card_transactions
  for each row execute function tell_webhooks_of_transaction();

-- Only ids: the client's identity stays here. An import's closed referrals are not announced as new.
create or replace function tell_webhooks_of_referrals() returns trigger language plpgsql as $$
begin
  if exists (select from webhook_endpoints where active and event_types && '{matter.referred}') then
    execute $query$
      insert into webhook_messages (network_id, type, data)
      select network_id, 'matter.referred', json_build_object('matter_id', matter_id, 'attorney_id', attorney_id)
      from new_rows n
      where ended_at is null and exists (select from webhook_endpoints e
        where e.network_id = n.network_id and e.active and 'matter.referred' = any (e.event_types))
      order by id $query$;
  end if;
  return null;
end $$;

create or replace trigger tell_webhooks after insert on matter_referrals
  referencing new table as new_rows for each statement execute function tell_webhooks_of_referrals();

create or replace function tell_webhooks_of_reports() returns trigger language plpgsql as $$
begin
  if exists (select from webhook_endpoints where active and event_types && '{report.filed}') then
    execute $query$
      insert into webhook_messages (network_id, type, data)
      select network_id, 'report.filed', json_build_object('report_id', id, 'matter_id', matter_id,
        'attorney_id', attorney_id, 'outcome', outcome, 'filed_on', filed_on)
      from new_rows n
      where exists (select from webhook_endpoints e
        where e.network_id = n.network_id and e.active and 'report.filed' = any (e.event_types))
      order by id $query$;
  end if;
  return null;
end $$;

create or replace trigger tell_webhooks after insert on matter_reports
  referencing new table as new_rows for each statement execute function tell_webhooks_of_reports();

-- An attorney whose suspension ended by leaving the panel was not reinstated.
create or replace function tell_webhooks_of_attorneys() returns trigger language plpgsql as $$
begin
  if exists (select from webhook_endpoints
      where active and event_types && '{attorney.suspended,attorney.reinstated,attorney.paused}') then
    execute $query$
      insert into webhook_messages (network_id, type, data)
      select n.network_id, told.type, told.data
      from new_rows n
      join old_rows o on o.network_id = n.network_id and o.id = n.id
      cross join lateral (
        select 'attorney.suspended' as type, json_build_object('attorney_id', n.id) as data
        where n.suspended_at is not null and o.suspended_at is null
        union all
        select 'attorney.reinstated', json_build_object('attorney_id', n.id)
        where n.suspended_at is null and o.suspended_at is not null and n.left_on is null
        union all
        select 'attorney.paused', json_build_object('attorney_id', n.id, 'paused_until', n.paused_until)
        where n.paused_until is distinct from o.paused_until and n.paused_until is not null
      ) as told
      where exists (select from webhook_endpoints e
        where e.network_id = n.network_id and e.active and told.type = any (e.event_types))
      order by n.id, told.type $query$;
  end if;
  return null;
end $$;

create or replace trigger tell_webhooks after update on attorneys
  referencing old table as old_rows new table as new_rows
  for each statement execute function tell_webhooks_of_attorneys();
