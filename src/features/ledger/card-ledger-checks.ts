import { sql } from "kysely";
import type { LedgerCheck } from "#features/ledger/ledger-checks.ts";

const cards: LedgerCheck = {
  name: "cards",
  rule: "A card payment has its processor's answer, and its shares stand as that says",
  offenders: sql`
    select p.network_id, 'card payment ' || p.id || ': ' || case
        when c.payment_id is null then 'no processor was asked'
        when p.method <> 'online' then 'it is a check'
        else c.state || ', transaction ' || coalesce(c.transaction_id, 'none') || ', shares '
          || coalesce(s.statuses, 'none') end as offence
    from payments p
    left join card_payments c on c.network_id = p.network_id and c.payment_id = p.id
    left join (
      select network_id, payment_id, string_agg(distinct status, ', ') as statuses
      from payment_allocations where check_number is null group by network_id, payment_id
    ) as s on s.network_id = p.network_id and s.payment_id = p.id
    where (p.method = 'online') <> (c.payment_id is not null)
      or (c.payment_id is not null and (
        s.statuses is distinct from case c.state when 'processing' then 'pending'
          when 'captured' then 'approved' when 'declined' then 'denied' else c.state end
        or (c.state in ('captured', 'refunded', 'failed') and c.transaction_id is null)))`,
};

const transactions: LedgerCheck = {
  name: "transactions",
  rule: "A processor's transaction is posted once, as a payment, as unapplied money, or as both together",
  offenders: sql`
    select network_id, processor || ' transaction ' || transaction_id || ': payments '
      || string_agg(payment_id::text, ', ' order by payment_id) as offence
    from card_payments where state in ('captured', 'refunded', 'failed')
    group by network_id, processor, transaction_id having count(*) > 1
    union all
    select u.network_id, u.processor || ' transaction ' || u.transaction_id || ' of '
      || dollars(u.charged_cents) || ': ' || dollars(u.amount_cents) || ' unapplied and '
      || dollars(coalesce(p.amount_cents, 0)) || ' posted'
    from unapplied_payments u
    -- A payment whose refund failed, or whose sale came through after all, when its debits had been paid
    -- otherwise stays refunded or failed in the ledger: the whole of its charge is unapplied.
    left join card_payments c on c.network_id = u.network_id and c.processor = u.processor
      and c.transaction_id = u.transaction_id
      and (c.state = 'captured' or c.state in ('refunded', 'failed') and u.payment_id is not null)
    left join payments p on p.network_id = c.network_id and p.id = c.payment_id
    where u.charged_cents <> u.amount_cents + coalesce(p.amount_cents, 0)
      or u.payment_id is distinct from c.payment_id`,
};

/** What `verify-ledger` checks of card payments. Source: domain rules §2, invariant 5. */
export const cardLedgerChecks: LedgerCheck[] = [cards, transactions];
