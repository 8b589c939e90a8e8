import { sql } from "kysely";
import type { LedgerCheck } from "#dues/ledger/ledger-checks.ts";

const checks: LedgerCheck = {
  name: "checks",
  rule: "A check's amount equals the sum of its payments, which have its payer and number; its status matches its shares; its entries add up to what counts of it; a returned check leaves nothing; no check is recorded twice",
  offenders: sql`
    select c.network_id, 'check ' || c.check_number || ' (' || c.id || ') of ' || dollars(c.amount_cents)
      || ', ' || c.status || ': its payments add up to ' || dollars(coalesce(y.total, 0)) || ', shares '
      || coalesce(y.statuses, 'none') || ', credit left ' || dollars(coalesce(y.left_cents, 0)) || ', brought '
      || dollars(coalesce(e.cents, 0)) || case when y.is_of_another then ', of another payer or number' else '' end as offence
    from received_checks c
    left join deposits t on t.network_id = c.network_id and t.id = c.deposit_id and t.banked_at is not null
    left join (
      select network_id, received_check_id, sum(case
        when split_part(to_account, ':', 1) in ('undeposited', 'bank') then amount_cents
        when split_part(from_account, ':', 1) in ('undeposited', 'bank') then -amount_cents else 0 end)::bigint as cents
      from entries
      where received_check_id is not null and cause not in ('credit_given_back', 'held_given_back')
      group by network_id, received_check_id
    ) as e on e.network_id = c.network_id and e.received_check_id = c.id
    left join (
      select p.network_id, p.received_check_id, sum(p.amount_cents)::bigint as total,
        bool_or(p.check_number <> own.check_number or p.attorney_id <> own.attorney_id) as is_of_another,
        sum(p.credit_cents)::bigint as credit_cents, sum(s.approved_cents)::bigint as approved_cents,
        sum(s.denied_cents)::bigint as denied_cents,
        sum(r.left_cents)::bigint as left_cents, string_agg(s.statuses, ', ') as statuses,
        case when count(s.statuses) = 0 then null
          when bool_or(s.is_pending) then 'pending' when bool_or(s.is_returned) then 'returned'
          when bool_and(s.is_denied) then 'denied' when bool_or(s.has_denied) then 'mixed'
          else 'approved' end as status,
        bool_or(s.has_approved) as has_approved
      from payments p
      join received_checks own on own.network_id = p.network_id and own.id = p.received_check_id
      left join (
        select network_id, payment_id, sum(left_cents) as left_cents from credits group by network_id, payment_id
      ) as r on r.network_id = p.network_id and r.payment_id = p.id
      left join (
        select network_id, payment_id, string_agg(distinct status, ', ') as statuses,
          bool_or(status = 'pending') as is_pending, bool_or(status = 'returned') as is_returned,
          bool_and(status = 'denied') as is_denied, bool_or(status = 'denied') as has_denied,
          bool_or(status = 'approved') as has_approved, sum(amount_cents) filter (where status = 'approved') as approved_cents,
          sum(amount_cents) filter (where status = 'denied') as denied_cents
        from payment_allocations where check_number is not null group by network_id, payment_id
      ) as s on s.network_id = p.network_id and s.payment_id = p.id
      group by p.network_id, p.received_check_id
    ) as y on y.network_id = c.network_id and y.received_check_id = c.id
    where c.amount_cents is distinct from y.total or c.status <> y.status or y.is_of_another
      or (c.status = 'returned' and (y.has_approved or y.left_cents <> 0))
      or coalesce(e.cents, 0) <> case c.status when 'returned' then 0 else coalesce(y.approved_cents, 0)
        + case when c.status in ('approved', 'mixed') then y.credit_cents else 0 end
        + case when t.id is null then 0 else coalesce(y.denied_cents, 0) end end
    union all
    select network_id, 'check ' || min(check_number) || ' of one payer is recorded as '
      || string_agg(id::text, ' and ' order by id)
    from received_checks where is_whole and status not in ('denied', 'returned')
    group by network_id, firm_id, attorney_id, check_key(check_number) having count(*) > 1`,
};

const credit: LedgerCheck = {
  name: "credit",
  rule: "The credit left equals the sum of its entries, is never below zero, and was received in full by one of them; it has its payment's attorney and check; credit from a card is refunded only to the card",
  offenders: sql`
    select c.network_id, 'credit ' || c.id || ' of ' || dollars(c.amount_cents) || ': left '
      || dollars(c.left_cents) || ', its entries add up to ' || dollars(coalesce(q.total, 0))
      || ', received ' || dollars(coalesce(q.received, 0)) || case when c.attorney_id is distinct from y.attorney_id
        then ', of attorney ' || c.attorney_id || ' by a payment of attorney ' || coalesce(y.attorney_id::text, 'nobody')
        else '' end || case when q.first_check <> y.received_check_id or q.last_check <> y.received_check_id
        then ', of check ' || y.received_check_id || ' with entries of another' else '' end
      || case when q.given_back > 0 and y.method = 'online'
        then ', from a card and refunded otherwise ' || dollars(q.given_back) else '' end as offence
    from credits c
    left join payments y on y.network_id = c.network_id and y.id = c.payment_id
    left join (
      select network_id, credit_id, sum(credit_cents)::bigint as total,
        (sum(credit_cents) filter (where cause = 'credit_received'))::bigint as received,
        (sum(amount_cents) filter (where cause = 'credit_given_back'))::bigint as given_back,
        min(received_check_id) as first_check, max(received_check_id) as last_check
      from entries where credit_id is not null group by network_id, credit_id
    ) as q on q.network_id = c.network_id and q.credit_id = c.id
    where (c.left_cents, c.amount_cents) is distinct from (q.total, q.received) or c.left_cents < 0
      or c.attorney_id is distinct from y.attorney_id or (q.given_back > 0 and y.method = 'online')
      or q.first_check <> y.received_check_id or q.last_check <> y.received_check_id`,
};

const charges: LedgerCheck = {
  name: "charges",
  rule: "A charge has one debit for each of its attorneys, and at least one, with its amount and due date",
  offenders: sql`
    select c.network_id, 'charge ' || c.id || ' of ' || dollars(c.amount_cents) || ' due ' || c.due_on || ': '
      || coalesce('attorney ' || d.attorney_id || ' has ' || d.debits || ' debits of ' || dollars(d.total)
        || ' due ' || d.due_on, 'no debit') as offence
    from charges c
    left join (
      select network_id, charge_id, attorney_id, count(*) as debits, sum(amount_cents)::bigint as total,
        min(due_on) as due_on
      from debits where charge_id is not null group by network_id, charge_id, attorney_id
    ) as d on d.network_id = c.network_id and d.charge_id = c.id
    where (d.debits, d.total, d.due_on) is distinct from (1, c.amount_cents, c.due_on)
    union all
    select a.network_id, 'charge ' || a.record_id || ' of ' || (a.after ->> 'attorneys') || ' attorneys according to Activity: '
      || coalesce(d.debits, 0) || ' debits'
    from audit_entries a
    left join (
      select network_id, charge_id, count(*) as debits from debits where charge_id is not null group by network_id, charge_id
    ) as d on d.network_id = a.network_id and d.charge_id = a.record_id
    where a.record_type = 'charge' and a.action = 'charged' and (a.after ->> 'attorneys')::bigint <> coalesce(d.debits, 0)`,
};

const checkCredit: LedgerCheck = {
  name: "credit of checks",
  rule: "A decided check with an approved part has brought the credit stated in its payments; any other check has brought none",
  offenders: sql`
    select y.network_id, 'payment ' || y.id || ' of check ' || c.check_number || ', ' || c.status || ', with credit of '
      || dollars(y.credit_cents) || ': received ' || dollars(coalesce(r.cents, 0)) as offence
    from payments y
    join received_checks c on c.network_id = y.network_id and c.id = y.received_check_id
    left join (
      select k.network_id, k.payment_id, sum(e.amount_cents)::bigint as cents
      from entries e
      join credits k on k.network_id = e.network_id and k.id = e.credit_id
      where e.cause = 'credit_received' and e.to_account = 'undeposited'
      group by k.network_id, k.payment_id
    ) as r on r.network_id = y.network_id and r.payment_id = y.id
    where coalesce(r.cents, 0) <> case when c.status in ('approved', 'mixed', 'returned') then y.credit_cents else 0 end`,
};

const batches: LedgerCheck = {
  name: "batches",
  rule: "A Subscribe all records the enrolments it made; once undone, they have ended, nothing on their debits is owed or paid except what a later adjustment added, and the income is reversed",
  offenders: sql`
    select coalesce(b.network_id, e.network_id) as network_id,
      coalesce('Subscribe all ' || b.id || case when b.undone_at is not null then ', undone,' else '' end
          || ' says ' || b.enrolments || ' enrolments',
        'no Subscribe all ' || e.batch_id) || ', there are ' || coalesce(e.enrolments, 0)
      || coalesce(' from ' || e.first_id || ' to ' || e.last_id, '') || ', active ' || coalesce(e.active, 0) as offence
    from enrolment_batches b
    full join (
      select network_id, batch_id, count(*) as enrolments, min(id) as first_id, max(id) as last_id,
        count(*) filter (where archived_at is null) as active
      from enrolments where batch_id is not null group by network_id, batch_id
    ) as e on e.network_id = b.network_id and e.batch_id = b.id
    where (b.enrolments, b.first_enrolment_id, b.last_enrolment_id)
        is distinct from (coalesce(e.enrolments, 0), e.first_id, e.last_id)
      or (b.undone_at is not null and e.active > 0)
    union all
    select network_id, 'debit ' || id || ' of Subscribe all ' || batch_id || ', undone: its entries add up to '
      || dollars(coalesce(sum(amount_cents) filter (where not is_raised), 0)::bigint)
      || ', payments to ' || dollars(coalesce(sum(amount_cents) filter (where is_payment), 0)::bigint)
      || ', credit to ' || dollars(coalesce(sum(amount_cents) filter (where is_credit), 0)::bigint)
      || ', pending ' || dollars(pending_cents)
      || case when bool_or(is_off_adjustments and takes_income_back) then ', off Adjustments' else '' end
    from (
      select *, cause in ('payment', 'reversal') and not is_raised as is_payment,
        cause in ('credit_applied', 'credit_taken_off') and not is_raised as is_credit
      from (
        -- The order of the entries counts. If the undo had nothing to reverse, only times show it; an increase that
        -- waited for the undo has the time when it began, shortly before.
        select *, bool_or(cause = 'adjustment' and amount_cents > 0 and case when has_reversal then is_reversed
            else owed_before = 0 and created_at > undone_at - interval '1 minute' end)
          over (partition by network_id, id order by entry_id) as is_raised
        from (
          select *, sum(amount_cents) over (partition by network_id, id order by entry_id) - amount_cents as owed_before,
            bool_or(is_reversal) over (partition by network_id, id order by entry_id) as is_reversed,
            bool_or(is_reversal) over (partition by network_id, id) as has_reversal,
            -- Older undos reversed all their debits against Adjustments.
            bool_or(is_reversal and not is_off_adjustments) over (partition by network_id, batch_id) as takes_income_back
          from (
            select d.network_id, d.id, d.pending_cents, b.id as batch_id, b.undone_at,
              l.id as entry_id, l.cause, l.owed_cents as amount_cents, l.created_at,
              l.cause = 'adjustment' and l.owed_cents < 0 and l.created_at = b.undone_at as is_reversal,
              l.to_account = 'adjustments' and l.created_at = b.undone_at as is_off_adjustments
            from enrolment_batches b
            join enrolments e on e.network_id = b.network_id and e.batch_id = b.id
            join debits d on d.network_id = e.network_id and d.enrolment_id = e.id
            join entries l on l.network_id = d.network_id and l.debit_id = d.id
            where b.undone_at is not null
          ) as entries
        ) as ordered
      ) as raised
    ) as told
    group by network_id, id, batch_id, pending_cents
    having sum(amount_cents) filter (where not is_raised) <> 0
      or sum(amount_cents) filter (where is_payment) <> 0
      or sum(amount_cents) filter (where is_credit) <> 0
      or (pending_cents <> 0 and not bool_or(is_raised)) or bool_or(is_off_adjustments and takes_income_back)`,
};

/** The checks by `verify-ledger` of received checks, credit, charges and Subscribe all. Source: domain rules §10. */
export const recordLedgerChecks: LedgerCheck[] = [checks, credit, checkCredit, charges, batches];
