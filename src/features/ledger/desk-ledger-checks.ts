import { sql } from "kysely";
import { journalLines } from "#features/journal/journal.ts";
import type { LedgerCheck } from "#features/ledger/ledger-checks.ts";

const checks: LedgerCheck = {
  name: "checks",
  rule: "A check's amount is the sum of its payments, and its status what its shares say; a returned one leaves nothing",
  offenders: sql`
    select c.network_id, 'check ' || c.check_number || ' (' || c.id || ') of ' || dollars(c.amount_cents)
      || ', ' || c.status || ': its payments come to ' || dollars(coalesce(y.total, 0)) || ', shares '
      || coalesce(y.statuses, 'none') || ', credit left ' || dollars(coalesce(y.left_cents, 0)) as offence
    from received_checks c
    left join (
      select p.network_id, p.received_check_id, sum(p.amount_cents)::bigint as total,
        sum(r.left_cents)::bigint as left_cents, string_agg(s.statuses, ', ') as statuses,
        case when count(s.statuses) = 0 then null
          when bool_or(s.is_pending) then 'pending' when bool_or(s.is_returned) then 'returned'
          when bool_and(s.is_denied) then 'denied' when bool_or(s.has_denied) then 'mixed'
          else 'approved' end as status,
        bool_or(s.has_approved) as has_approved
      from payments p
      left join credits r on r.network_id = p.network_id and r.payment_id = p.id
      left join (
        select network_id, payment_id, string_agg(distinct status, ', ') as statuses,
          bool_or(status = 'pending') as is_pending, bool_or(status = 'returned') as is_returned,
          bool_and(status = 'denied') as is_denied, bool_or(status = 'denied') as has_denied,
          bool_or(status = 'approved') as has_approved
        from payment_allocations where check_number is not null group by network_id, payment_id
      ) as s on s.network_id = p.network_id and s.payment_id = p.id
      where p.received_check_id is not null
      group by p.network_id, p.received_check_id
    ) as y on y.network_id = c.network_id and y.received_check_id = c.id
    where c.amount_cents is distinct from y.total or c.status <> y.status
      or (c.status = 'returned' and (y.has_approved or y.left_cents <> 0))`,
};

const credit: LedgerCheck = {
  name: "credit",
  rule: "What is left of a credit is the sum of its entries, one of which received all of it, and never below zero",
  offenders: sql`
    select c.network_id, 'credit ' || c.id || ' of ' || dollars(c.amount_cents) || ': left '
      || dollars(c.left_cents) || ', its entries come to ' || dollars(coalesce(q.total, 0))
      || ', received ' || dollars(coalesce(q.received, 0)) as offence
    from credits c
    left join (
      select network_id, credit_id, sum(amount_cents)::bigint as total,
        (sum(amount_cents) filter (where kind = 'received'))::bigint as received
      from credit_entries group by network_id, credit_id
    ) as q on q.network_id = c.network_id and q.credit_id = c.id
    where (c.left_cents, c.amount_cents) is distinct from (q.total, q.received) or c.left_cents < 0`,
};

const appliedCredit: LedgerCheck = {
  name: "applied credit",
  rule: "What is applied of credit, or taken off again, stands in the ledger of its debit",
  offenders: sql`
    select coalesce(q.network_id, l.network_id) as network_id,
      coalesce('credit entry ' || q.id || ' of ' || dollars(q.amount_cents) || ' on debit ' || q.debit_id,
        'no entry of credit') || ': '
      || coalesce('ledger entry ' || l.id || ' of ' || dollars(l.amount_cents) || ' on debit ' || l.debit_id,
        'no ledger entry') as offence
    from (select * from credit_entries where debit_id is not null) as q
    full join (select * from ledger_entries where kind = 'credit') as l
      on l.network_id = q.network_id and l.credit_entry_id = q.id
    where (q.debit_id, q.amount_cents) is distinct from (l.debit_id, l.amount_cents)`,
};

const charges: LedgerCheck = {
  name: "charges",
  rule: "A charge makes one debit for each of its attorneys, at least one, of its amount and due on its day",
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
    where (d.debits, d.total, d.due_on) is distinct from (1, c.amount_cents, c.due_on)`,
};

const journal: LedgerCheck = {
  name: "journal",
  rule: "Debits equal credits in every entry of the journal",
  offenders: sql`
    select network_id, 'entry ' || entry || ': its lines come to ' || dollars(sum(amount_cents)::bigint) as offence
    from (${journalLines}) as j
    group by network_id, entry having sum(amount_cents) <> 0 or count(*) <> 2`,
};

const receivables: LedgerCheck = {
  name: "receivables",
  rule: "What each attorney owes, and has in credit, is what the journal's receivables and credit come to",
  offenders: sql`
    select coalesce(j.network_id, kept.network_id) as network_id,
      'attorney ' || coalesce(j.attorney_id, kept.attorney_id) || ': owes ' || dollars(coalesce(kept.owed, 0))
      || ', by the journal ' || dollars(coalesce(j.owed, 0)) || '; credit ' || dollars(coalesce(kept.credit, 0))
      || ', by the journal ' || dollars(coalesce(j.credit, 0)) as offence
    from (
      select network_id, attorney_id,
        coalesce(sum(amount_cents) filter (where account = 'accounts_receivable'), 0)::bigint as owed,
        -coalesce(sum(amount_cents) filter (where account = 'attorneys_credit'), 0)::bigint as credit
      from (${journalLines}) as lines
      where account in ('accounts_receivable', 'attorneys_credit') and attorney_id is not null
      group by network_id, attorney_id
    ) as j
    full join (
      select network_id, attorney_id, sum(owed)::bigint as owed, sum(credit)::bigint as credit from (
        select network_id, attorney_id, balance_cents as owed, 0 as credit from debits
        union all select network_id, attorney_id, 0, left_cents from credits
      ) as one group by network_id, attorney_id
    ) as kept on kept.network_id = j.network_id and kept.attorney_id = j.attorney_id
    where (coalesce(kept.owed, 0), coalesce(kept.credit, 0)) <> (coalesce(j.owed, 0), coalesce(j.credit, 0))`,
};

const batches: LedgerCheck = {
  name: "batches",
  rule: "A Subscribe all says whom it enrolled; once it was undone, they have left, and nothing of it is owed or paid but what an adjustment added later",
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
    select network_id, 'debit ' || id || ' of Subscribe all ' || batch_id || ', undone: its entries come to '
      || dollars(coalesce(sum(amount_cents) filter (where not is_raised), 0)::bigint)
      || ', payments to ' || dollars(coalesce(sum(amount_cents) filter (where is_payment), 0)::bigint)
      || ', credit to ' || dollars(coalesce(sum(amount_cents) filter (where is_credit), 0)::bigint)
      || ', pending ' || dollars(pending_cents)
    from (
      select *, kind in ('payment', 'reversal') and not is_raised as is_payment,
        kind = 'credit' and not is_raised as is_credit
      from (
        -- What counts is the order of the entries. Where the undo had nothing to reverse only times can tell; an
        -- increase that waited for it has the time of its own beginning, shortly before.
        select *, bool_or(kind = 'adjustment' and amount_cents > 0 and case when has_reversal then is_reversed
            else owed_before = 0 and created_at > undone_at - interval '1 minute' end)
          over (partition by network_id, id order by entry_id) as is_raised
        from (
          select *, sum(amount_cents) over (partition by network_id, id order by entry_id) - amount_cents as owed_before,
            bool_or(is_reversal) over (partition by network_id, id order by entry_id) as is_reversed,
            bool_or(is_reversal) over (partition by network_id, id) as has_reversal
          from (
            select d.network_id, d.id, d.pending_cents, b.id as batch_id, b.undone_at,
              l.id as entry_id, l.kind, l.amount_cents, l.created_at,
              l.kind = 'adjustment' and l.amount_cents < 0 and l.created_at = b.undone_at as is_reversal
            from enrolment_batches b
            join enrolments e on e.network_id = b.network_id and e.batch_id = b.id
            join debits d on d.network_id = e.network_id and d.enrolment_id = e.id
            join ledger_entries l on l.network_id = d.network_id and l.debit_id = d.id
            where b.undone_at is not null
          ) as entries
        ) as ordered
      ) as raised
    ) as told
    group by network_id, id, batch_id, pending_cents
    having sum(amount_cents) filter (where not is_raised) <> 0
      or sum(amount_cents) filter (where is_payment) <> 0
      or sum(amount_cents) filter (where is_credit) <> 0
      or (pending_cents <> 0 and not bool_or(is_raised))`,
};

/** The checks by `verify-ledger` of received checks, credit, charges, the journal and Subscribe all. Source: domain rules §10. */
export const deskLedgerChecks: LedgerCheck[] = [
  checks,
  credit,
  appliedCredit,
  charges,
  journal,
  receivables,
  batches,
];
