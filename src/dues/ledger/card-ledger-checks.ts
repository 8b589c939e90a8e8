import { sql } from "kysely";
import type { LedgerCheck } from "#dues/ledger/ledger-checks.ts";

const cards: LedgerCheck = {
  name: "cards",
  rule: "Every card payment has a processor record, and its shares match it: pending while processing, denied if declined, decided once paid",
  offenders: sql`
    select p.network_id, 'card payment ' || p.id || ': ' || case
        when c.payment_id is null then 'no processor was asked'
        when p.method <> 'online' then 'it is a check'
        when c.attorney_id <> p.attorney_id then 'of attorney ' || c.attorney_id || ', paid for ' || p.attorney_id
        else c.state || ', transaction ' || coalesce(c.transaction_id, 'none') || ', shares '
          || coalesce(s.statuses, 'none') end as offence
    from payments p
    left join card_payments c on c.network_id = p.network_id and c.payment_id = p.id
    left join (
      select network_id, payment_id, string_agg(distinct status, ', ') as statuses,
        bool_or(status in ('pending', 'denied')) as is_open
      from payment_allocations where check_number is null group by network_id, payment_id
    ) as s on s.network_id = p.network_id and s.payment_id = p.id
    where (p.method = 'online') <> (c.payment_id is not null) or c.attorney_id <> p.attorney_id
      or (c.payment_id is not null and (
        case when c.state in ('processing', 'declined')
          then s.statuses is distinct from case c.state when 'processing' then 'pending' else 'denied' end
          else coalesce(s.is_open, false) or c.transaction_id is null end))`,
};

const transactions: LedgerCheck = {
  name: "transactions",
  rule: "The amount received on a card payment equals the sum of its transactions and the sum of its entries at its processor, its state agrees, and each processor transaction is recorded once",
  offenders: sql`
    select network_id, processor || ' transaction ' || transaction_id || ': payments '
      || string_agg(payment_id::text, ', ' order by payment_id) as offence
    from card_payments where state not in ('processing', 'declined')
    group by network_id, processor, transaction_id having count(*) > 1
    union all
    select t.network_id, c.processor || ' ' || t.kind || ' ' || t.processor_id || ': payments '
      || string_agg(t.payment_id::text, ', ' order by t.payment_id)
    from card_transactions t
    join card_payments c on c.network_id = t.network_id and c.payment_id = t.payment_id
    where t.processor_id is not null and t.kind <> 'purchase'
    group by t.network_id, c.processor, t.kind, t.processor_id having count(distinct t.payment_id) > 1
    union all
    select c.network_id, 'card payment ' || c.payment_id || ' of ' || dollars(p.amount_cents) || ', ' || c.state
      || ': received ' || dollars(c.received_cents) || ', by its transactions ' || dollars(coalesce(t.cents, 0))
      || ', by its entries ' || dollars(coalesce(e.cents, 0))
    from card_payments c
    join payments p on p.network_id = c.network_id and p.id = c.payment_id
    left join (
      select network_id, payment_id, sum(signed_cents(kind, amount_cents))::bigint as cents,
        (array_agg(kind order by id desc))[1] as last_kind
      from card_transactions group by network_id, payment_id
    ) as t on t.network_id = c.network_id and t.payment_id = c.payment_id
    left join (
      -- Older payments used accounts such as "clearing:stripe (unapplied)": that money is at Stripe too.
      select part.network_id, part.payment_id,
        split_part(split_part(part.from_account || ' ' || part.to_account, 'clearing:', 2), ' ', 1) as processor,
        sum(case when part.to_account like 'clearing:%' then part.amount_cents else -part.amount_cents end)::bigint as cents
      from (
        select s.network_id, s.payment_id, e.from_account, e.to_account, e.amount_cents from entries e
        join payment_allocations s on s.network_id = e.network_id and s.id = e.allocation_id
        union all
        select k.network_id, k.payment_id, e.from_account, e.to_account, e.amount_cents from entries e
        join credits k on k.network_id = e.network_id and k.id = e.credit_id
      ) as part
      where part.to_account like 'clearing:%' or part.from_account like 'clearing:%'
      group by 1, 2, 3
    ) as e on e.network_id = c.network_id and e.payment_id = c.payment_id and e.processor = c.processor
    where c.received_cents <> coalesce(t.cents, 0) or c.received_cents <> coalesce(e.cents, 0)
      or c.received_cents > p.amount_cents
      or (t.last_kind is null) <> (c.state in ('processing', 'declined'))
      or (c.state = 'captured') <> (c.received_cents > 0)
      or c.state in ('refunded', 'failed', 'charged_back') and t.last_kind is distinct from
        case c.state when 'refunded' then 'refund' when 'failed' then 'failed' else 'chargeback' end
    union all
    select r.network_id, 'refund ' || r.id || ' of payment ' || r.payment_id || ' is done but has no transaction'
    from card_refunds r
    where r.state = 'done' and not exists (
      select from card_transactions t where t.network_id = r.network_id and t.payment_id = r.payment_id and t.kind = 'refund'
        and (t.refund_id = r.id or t.done_by <> 'here')) -- a refund found at the processor first
      -- A payment charged back first had nothing left to refund; its problem says so.
      and 0 < (
        select sum(signed_cents(t.kind, t.amount_cents)) from card_transactions t
        where t.network_id = r.network_id and t.payment_id = r.payment_id and t.created_at <= r.settled_at)
    union all
    select t.network_id, 'transaction ' || t.id || ' of payment ' || t.payment_id || ' is a ' || t.kind || ' by refund '
      || r.id || ' of payment ' || r.payment_id || ', which is ' || r.state
    from card_transactions t
    join card_refunds r on r.network_id = t.network_id and r.id = t.refund_id
    where t.kind <> 'refund' or t.payment_id <> r.payment_id or r.state = 'requested' or (
      r.state = 'failed' and not exists (
      select from card_transactions back
      where back.network_id = t.network_id and back.payment_id = t.payment_id and back.kind = 'purchase' and back.id > t.id))
    union all
    -- A refund takes what is left, which may be less than requested after other refunds or chargebacks.
    select t.network_id, 'transaction ' || t.id || ' of payment ' || t.payment_id || ' is ' || dollars(t.amount_cents)
      || ' of a refund of ' || dollars(r.amount_cents)
    from card_transactions t
    join card_refunds r on r.network_id = t.network_id and r.id = t.refund_id
    where t.amount_cents <> r.amount_cents and (t.amount_cents > r.amount_cents
      or r.amount_cents - t.amount_cents > (
        select coalesce(sum(other.amount_cents), 0) from card_transactions other
        where other.network_id = t.network_id and other.payment_id = t.payment_id and other.id <> t.id
          and signed_cents(other.kind, 1) < 0))`,
};

const kinds: LedgerCheck = {
  name: "kinds of transactions",
  rule: "A card payment begins with a purchase of its full amount; its entries match its chargebacks; no more is won back than was charged back, and no more is charged again than was refunded or failed",
  offenders: sql`
    select t.network_id, 'card payment ' || t.payment_id || ' of ' || coalesce(dollars(p.amount_cents), 'nobody')
      || ': first charged ' || dollars(t.first_cents) || ', charged again ' || dollars(t.bought_cents - t.first_cents)
      || ', refunded or failed ' || dollars(t.gone_cents) || ', charged back ' || dollars(t.back_cents)
      || ', by its entries ' || dollars(coalesce(e.cents, 0)) || ', won ' || dollars(t.won_cents) as offence
    from (
      select network_id, payment_id,
        (array_agg(case kind when 'purchase' then amount_cents else 0 end order by id))[1] as first_cents,
        coalesce(sum(amount_cents) filter (where kind = 'purchase'), 0)::bigint as bought_cents,
        coalesce(sum(amount_cents) filter (where kind in ('refund', 'failed')), 0)::bigint as gone_cents,
        coalesce(sum(amount_cents) filter (where kind = 'chargeback'), 0)::bigint as back_cents,
        coalesce(sum(amount_cents) filter (where kind = 'chargeback_reversed'), 0)::bigint as won_cents
      from card_transactions group by network_id, payment_id
    ) as t
    left join payments p on p.network_id = t.network_id and p.id = t.payment_id
    left join (
      select e.network_id, coalesce(s.payment_id, k.payment_id) as payment_id, sum(e.amount_cents)::bigint as cents
      from entries e
      left join payment_allocations s on s.network_id = e.network_id and s.id = e.allocation_id
      left join credits k on k.network_id = e.network_id and k.id = e.credit_id
      where e.cause in ('reversal', 'credit_reversed') and e.note in ('charged back', 'The card payment was charged back')
      group by 1, 2
    ) as e on e.network_id = t.network_id and e.payment_id = t.payment_id
    where t.first_cents is distinct from p.amount_cents or t.back_cents <> coalesce(e.cents, 0)
      or t.won_cents > t.back_cents or t.bought_cents - t.first_cents > t.gone_cents`,
};

/** The checks of card payments by `verify-ledger`. Source: domain rules §2, invariant 5; book rule 10. */
export const cardLedgerChecks: LedgerCheck[] = [cards, transactions, kinds];
