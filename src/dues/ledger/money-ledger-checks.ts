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

/** Compares the money accounts of the entries with checks, deposits and cards. Source: book rule 10. */
const cash: LedgerCheck = {
  name: "cash",
  rule: "The entries for undeposited checks, each bank, each processor and money held for payers agree with checks, deposits and cards",
  offenders: sql`
    with parts as (
      -- Checks not returned, by the bank that has them. A share counts once approved, credit once the whole check is
      -- decided.
      select c.network_id, case when t.banked_at is not null then t.account_name end as bank,
        y.amount_cents, coalesce(s.denied_cents, 0) as denied_cents, coalesce(s.approved_cents, 0)
          + case when c.status in ('approved', 'mixed') then y.credit_cents else 0 end as approved_cents
      from received_checks c
      join payments y on y.network_id = c.network_id and y.received_check_id = c.id
      left join deposits t on t.network_id = c.network_id and t.id = c.deposit_id
      left join (
        select network_id, payment_id, sum(amount_cents) filter (where status = 'approved') as approved_cents,
          sum(amount_cents) filter (where status = 'denied') as denied_cents
        from payment_allocations where check_number is not null group by network_id, payment_id
      ) as s on s.network_id = y.network_id and s.payment_id = y.id
      where c.status <> 'returned'
    ), checks as materialized (
      select network_id, bank, sum(amount_cents)::bigint as all_cents, sum(denied_cents)::bigint as denied_cents,
        sum(approved_cents)::bigint as approved_cents
      from parts group by network_id, bank
    ), expected as (
      select network_id, 'undeposited' as account, approved_cents as cents from checks where bank is null
      union all
      select network_id, 'bank:' || bank, all_cents from checks where bank is not null
      union all
      select network_id, 'held', -denied_cents from checks where bank is not null
      union all
      select network_id, 'clearing:' || processor, sum(received_cents)::bigint
      from card_payments group by network_id, processor
      union all
      -- Refunds by staff left a bank account.
      select network_id, from_account, -sum(amount_cents)::bigint from entries
      where cause in ('credit_given_back', 'held_given_back') group by network_id, from_account
      union all
      -- Nothing of a returned check is held, whatever was held before.
      select e.network_id, 'held', sum(e.amount_cents)::bigint from entries e
      join received_checks c on c.network_id = e.network_id and c.id = e.received_check_id and c.status <> 'returned'
      where e.cause in ('held_given_back', 'credit_received') and e.to_account = 'held' group by e.network_id
    ), kept as (
      select network_id, account, sum(cents)::bigint as cents
      from entries
      cross join lateral (values (to_account, amount_cents), (from_account, -amount_cents)) as line (account, cents)
      where split_part(account, ':', 1) in ('undeposited', 'bank', 'clearing', 'held')
      group by network_id, account
    ), told as (
      select network_id, account, sum(cents)::bigint as cents from expected group by network_id, account
    )
    select coalesce(kept.network_id, told.network_id) as network_id,
      coalesce(kept.account, told.account) || ': ' || dollars(coalesce(kept.cents, 0))
        || ' by the entries, ' || dollars(coalesce(told.cents, 0)) || ' by checks, deposits and cards' as offence
    from kept full join told on told.network_id = kept.network_id and told.account = kept.account
    where coalesce(kept.cents, 0) <> coalesce(told.cents, 0)`,
};

const held: LedgerCheck = {
  name: "held",
  rule: "The denied part of a banked check is held, and leaves once and in full: refunded, kept as credit, or returned with its check",
  offenders: sql`
    select coalesce(e.network_id, c.network_id) as network_id, 'check '
      || coalesce(c.check_number || ' (' || c.id || ')', e.received_check_id::text, 'unknown') || ', '
      || coalesce(c.status, 'not in the bank with a denied part') || ', denied ' || dollars(coalesce(c.denied, 0))
      || ': held ' || dollars(coalesce(e.brought, 0)) || ', left ' || dollars(coalesce(e.taken, 0)) as offence
    from (
      select c.network_id, c.id, c.check_number, c.status, sum(s.amount_cents)::bigint as denied
      from received_checks c
      join deposits t on t.network_id = c.network_id and t.id = c.deposit_id and t.banked_at is not null
      join payments y on y.network_id = c.network_id and y.received_check_id = c.id
      join payment_allocations s on s.network_id = y.network_id and s.payment_id = y.id and s.status = 'denied'
      where c.returned_at is null or c.returned_at >= t.banked_at
      group by c.network_id, c.id
    ) as c
    full join (
      select network_id, received_check_id,
        coalesce(sum(amount_cents) filter (where from_account = 'held'), 0)::bigint as brought,
        coalesce(sum(amount_cents) filter (where to_account = 'held'), 0)::bigint as taken
      from entries where 'held' in (from_account, to_account) group by network_id, received_check_id
    ) as e on e.network_id = c.network_id and e.received_check_id = c.id
    where e.brought is distinct from c.denied
      or e.taken not in (case c.status when 'returned' then e.brought else 0 end, e.brought)`,
};

const income = ["dues_income", "other_income", "fee_income"];

const between = (cause: string, from: string[], to: string[]) =>
  from.flatMap((one) => to.map((other) => `${cause} ${one} ${other}`));

/** Each cause with the two kinds of account it moves money between. A regular expression took six times as long. */
const movements = [
  ...between("charge", income, ["receivable"]),
  ...between("adjustment", ["adjustments", ...income], ["receivable"]),
  ...between("adjustment", ["receivable"], ["adjustments", ...income]),
  ...between("payment", ["receivable"], ["undeposited", "clearing"]),
  ...between("reversal", ["undeposited", "bank", "clearing"], ["receivable"]),
  ...between("credit_received", ["credit"], ["undeposited", "held", "clearing"]),
  ...between("credit_applied", ["receivable"], ["credit"]),
  ...between("credit_taken_off", ["credit"], ["receivable"]),
  ...between("credit_given_back", ["bank"], ["credit"]),
  ...between("credit_reversed", ["undeposited", "bank", "clearing"], ["credit"]),
  ...between("deposit", ["undeposited"], ["bank"]),
  ...between("held", ["held"], ["undeposited"]),
  ...between("held_given_back", ["bank"], ["held"]),
  ...between("held_reversed", ["bank"], ["held"]),
  ...between("return_charged", ["undeposited", "bank"], ["other_income"]),
  ...between("unapplied", ["clearing"], ["clearing"]),
];

const accounts: LedgerCheck = {
  name: "accounts",
  rule: "Every entry is between two accounts that its cause allows, and refers to its own network's debits, credits and checks; a charge uses its debit's income account; an adjustment uses that account or Adjustments",
  offenders: sql`
    select e.network_id, 'entry ' || e.id || ' (' || e.cause || ') of ' || dollars(e.amount_cents) || ' from '
      || e.from_account || ' to ' || e.to_account || coalesce(', debit ' || e.debit_id, '')
      || coalesce(', credit ' || e.credit_id, '') as offence
    from entries e
    left join debits d on d.network_id = e.network_id and d.id = e.debit_id
    left join credits c on c.network_id = e.network_id and c.id = e.credit_id
    left join received_checks k on k.network_id = e.network_id and k.id = e.received_check_id
    left join deposits t on t.network_id = e.network_id and t.id = e.deposit_id
    where e.amount_cents <= 0
      or e.cause || ' ' || split_part(e.from_account, ':', 1) || ' ' || split_part(e.to_account, ':', 1)
        <> all (${movements}::text[])
      or (e.cause = 'charge' and e.from_account <> d.income_account)
      or (e.cause = 'adjustment' and d.income_account not in (e.from_account, e.to_account)
        and 'adjustments' not in (e.from_account, e.to_account))
      or d.attorney_id <> e.attorney_id or c.attorney_id <> e.attorney_id
      or (e.debit_id is not null and d.id is null) or (e.credit_id is not null and c.id is null)
      or ('receivable' in (e.from_account, e.to_account)) <> (e.debit_id is not null)
      or ('credit' in (e.from_account, e.to_account)) <> (e.credit_id is not null)
      or (e.received_check_id is not null and k.id is null) or k.deposit_id <> e.deposit_id
      or (k.id is not null and e.debit_id is null and e.credit_id is null and e.attorney_id is distinct from k.attorney_id)
      or (e.cause = 'deposit' and e.to_account is distinct from 'bank:' || t.account_name)`,
};

const days: LedgerCheck = {
  name: "days",
  rule: "An entry's day is the day it was recorded; a deposit's is the day it was banked",
  offenders: sql`
    select e.network_id, 'entry ' || e.id || ' (' || e.cause || ') of ' || dollars(e.amount_cents) || ' is of ' || e.day
      || ', recorded on ' || (e.created_at at time zone n.time_zone)::date
      || coalesce(', banked on ' || t.banked_on, '') as offence
    from entries e
    -- Leaves out networks whose time zone PostgreSQL no longer knows.
    join (select id, time_zone from networks where local_day(now(), time_zone) is not null) as n on n.id = e.network_id
    left join deposits t on t.network_id = e.network_id and t.id = e.deposit_id
    where case when e.deposit_id is null then e.day <> (e.created_at at time zone n.time_zone)::date
      else e.day > (e.created_at at time zone n.time_zone)::date or e.day is distinct from t.banked_on end`,
};

const returns: LedgerCheck = {
  name: "returned checks",
  rule: "A returned check is reversed from the account that held its money: the bank of its deposit once banked, undeposited before",
  offenders: sql`
    select e.network_id, 'check ' || c.check_number || ' (' || c.id || '): entry ' || e.id || ' (' || e.cause || ') of '
      || dollars(e.amount_cents) || ' from ' || e.from_account
      || coalesce(', deposited to ' || banked.to_account, ', in no banked deposit') as offence
    from received_checks c
    join entries e on e.network_id = c.network_id and e.received_check_id = c.id
      and (e.cause in ('credit_reversed', 'held_reversed', 'return_charged') or (e.cause = 'reversal' and e.note = 'returned'))
    left join entries banked on banked.network_id = c.network_id and banked.deposit_id = c.deposit_id
      and banked.cause = 'deposit'
    -- Ids give the order, except for entries moved from the older ledgers; times do, except for transactions that
    -- waited for a lock.
    where c.status = 'returned' and case e.from_account
      when 'undeposited' then banked.id < e.id and banked.created_at <= e.created_at
      when banked.to_account then banked.id > e.id and banked.created_at > e.created_at
      else true end`,
};

const deposits: LedgerCheck = {
  name: "deposits",
  rule: "A banked deposit has one entry for the sum of its checks, without those returned earlier; an open deposit has none",
  offenders: sql`
    select t.network_id, 'deposit ' || t.number || ' (' || t.id || ') in ' || t.account_name || ': its checks add up to '
      || dollars(coalesce(c.cents, 0)) || ', its entry to ' || dollars(coalesce(e.cents, 0)) as offence
    from deposits t
    left join (
      select c.network_id, c.deposit_id, sum(c.amount_cents)::bigint as cents
      from received_checks c
      left join (
        select distinct network_id, received_check_id from entries
        where from_account = 'undeposited' and (cause in ('credit_reversed', 'return_charged')
          or (cause = 'reversal' and note = 'returned'))
      ) as before on before.network_id = c.network_id and before.received_check_id = c.id
      where before.received_check_id is null group by c.network_id, c.deposit_id
    ) as c on c.network_id = t.network_id and c.deposit_id = t.id and t.banked_at is not null
    left join (
      select network_id, deposit_id, sum(amount_cents)::bigint as cents
      from entries where cause = 'deposit' group by network_id, deposit_id
    ) as e on e.network_id = t.network_id and e.deposit_id = t.id
    where coalesce(c.cents, 0) <> coalesce(e.cents, 0)`,
};

const receivables: LedgerCheck = {
  name: "receivables",
  rule: "Each attorney's balance and credit equal the sums of the receivable and credit entries",
  offenders: sql`
    select coalesce(j.network_id, kept.network_id) as network_id,
      'attorney ' || coalesce(j.attorney_id, kept.attorney_id) || ': owes ' || dollars(coalesce(kept.owed, 0))
      || ', by the entries ' || dollars(coalesce(j.owed, 0)) || '; credit ' || dollars(coalesce(kept.credit, 0))
      || ', by the entries ' || dollars(coalesce(j.credit, 0)) as offence
    from (
      select network_id, attorney_id, sum(owed_cents)::bigint as owed, sum(credit_cents)::bigint as credit
      from entries where debit_id is not null or credit_id is not null group by network_id, attorney_id
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

/** The checks by `verify-ledger` of received checks, credit, charges, entries and Subscribe all. Source: domain rules §10. */
export const moneyLedgerChecks: LedgerCheck[] = [
  checks,
  credit,
  checkCredit,
  charges,
  cash,
  held,
  accounts,
  days,
  returns,
  deposits,
  receivables,
  batches,
];
