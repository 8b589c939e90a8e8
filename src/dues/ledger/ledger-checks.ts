import { type RawBuilder, sql } from "kysely";

/** A rule for the whole ledger, and the query that finds records that break it. */
export interface LedgerCheck {
  name: string;
  /** The rule, as a sentence. Source: domain rules §2 and §3. */
  rule: string;
  /** Rows of (network_id, offence), none when the rule holds. Must not rely on triggers or constraints. */
  offenders: RawBuilder<unknown>;
}

const balances: LedgerCheck = {
  name: "balances",
  rule: "A debit's balance equals the sum of its entries, exactly one of which charges its full amount",
  offenders: sql`
    select coalesce(d.network_id, l.network_id) as network_id,
      case when d.id is null then 'entries of debit ' || l.debit_id || ', which does not exist'
        else 'debit ' || d.id || ' of ' || dollars(d.amount_cents) || ': balance '
          || dollars(d.balance_cents) || ', its entries add up to ' || dollars(coalesce(l.total, 0))
          || ', charges: ' || coalesce(l.charges, 0) || ' of ' || dollars(coalesce(l.charged, 0))
        end as offence
    from debits d
    full join (
      select network_id, debit_id, sum(owed_cents)::bigint as total,
        count(*) filter (where cause = 'charge') as charges,
        (sum(owed_cents) filter (where cause = 'charge'))::bigint as charged
      from entries where debit_id is not null group by network_id, debit_id
    ) as l on l.network_id = d.network_id and l.debit_id = d.id
    where (d.balance_cents, 1, d.amount_cents) is distinct from (l.total, l.charges, l.charged)`,
};

const reservations: LedgerCheck = {
  name: "reservations",
  rule: "The pending amount of a debit equals the sum of its undecided shares, from 0 to its balance",
  offenders: sql`
    select d.network_id, 'debit ' || d.id || ': pending ' || dollars(d.pending_cents)
      || ', undecided shares of ' || dollars(coalesce(s.total, 0))
      || ', balance ' || dollars(d.balance_cents) as offence
    from debits d
    left join (
      select network_id, debit_id, sum(amount_cents)::bigint as total
      from payment_allocations where status = 'pending' group by network_id, debit_id
    ) as s on s.network_id = d.network_id and s.debit_id = d.id
    where d.pending_cents <> coalesce(s.total, 0) or d.pending_cents not between 0 and d.balance_cents`,
};

const periods: LedgerCheck = {
  name: "periods",
  rule: "An enrolment has at most one debit per period",
  offenders: sql`
    select network_id, 'enrolment ' || enrolment_id || ', period ' || period || ': debits '
      || string_agg(id::text, ', ' order by id) as offence
    from debits where enrolment_id is not null
    group by network_id, enrolment_id, period having count(*) > 1`,
};

const schedule: LedgerCheck = {
  name: "schedule",
  rule: "A debit has its plan's amount, is due on its enrolment's schedule, and is not for a period before the first",
  offenders: sql`
    with terms as materialized (
      select e.network_id, e.id, e.attorney_id, e.start_date, e.enrolled_on, p.amount_cents,
        p.frequency_in_months,
        period_on_or_before(e.start_date, p.frequency_in_months, e.enrolled_on)
          + case when e.bills_immediately then 0 else 1 end as first_period
      from enrolments e
      join plans p on p.network_id = e.network_id and p.id = e.plan_id
    ), expected as (
      select d.network_id, d.id, d.enrolment_id, d.attorney_id, d.period, d.due_on, d.amount_cents,
        t.attorney_id as their_attorney_id, t.amount_cents as their_amount_cents, t.first_period,
        greatest(t.enrolled_on, period_date(t.start_date, t.frequency_in_months, d.period)) as their_due_on
      from debits d
      left join terms t on t.network_id = d.network_id and t.id = d.enrolment_id
      where d.charge_id is null
    )
    select network_id, 'debit ' || id || ' of enrolment ' || enrolment_id || ', period ' || period
      || ': due ' || due_on || ' for ' || dollars(amount_cents)
      || coalesce(', should be due ' || their_due_on || ' for ' || dollars(their_amount_cents)
        || ', starting with period ' || first_period, ', an enrolment that does not exist') as offence
    from expected
    where (due_on, amount_cents, attorney_id)
        is distinct from (their_due_on, their_amount_cents, their_attorney_id)
      or period < first_period`,
};

const payments: LedgerCheck = {
  name: "payments",
  rule: "A payment's amount equals the sum of its shares and its credit",
  offenders: sql`
    select p.network_id, 'payment ' || p.id || ' of ' || dollars(p.amount_cents)
      || ': its shares add up to ' || dollars(coalesce(s.total, 0))
      || case when p.credit_cents > 0 then ', its credit is ' || dollars(p.credit_cents) else '' end as offence
    from payments p
    left join (
      select network_id, payment_id, sum(amount_cents)::bigint as total
      from payment_allocations group by network_id, payment_id
    ) as s on s.network_id = p.network_id and s.payment_id = p.id
    where p.amount_cents - p.credit_cents <> coalesce(s.total, 0)`,
};

const owners: LedgerCheck = {
  name: "owners",
  rule: "A payment and all its debits belong to one attorney of one network",
  offenders: sql`
    select s.network_id, 'share ' || s.id || ' of attorney ' || s.attorney_id || ': payment '
      || s.payment_id || ' of attorney ' || coalesce(p.attorney_id::text, 'nobody') || ', debit '
      || s.debit_id || ' of attorney ' || coalesce(d.attorney_id::text, 'nobody') as offence
    from payment_allocations s
    left join payments p on p.network_id = s.network_id and p.id = s.payment_id
    left join debits d on d.network_id = s.network_id and d.id = s.debit_id
    where p.attorney_id is distinct from s.attorney_id or d.attorney_id is distinct from s.attorney_id
      or p.check_number is distinct from s.check_number`,
};

const shares: LedgerCheck = {
  name: "shares",
  rule: "A share's entries match its status: an approved share pays its amount less reversals; a refunded, returned, charged back or failed share pays nothing, and its last reversal gives that reason; any other share has paid nothing",
  offenders: sql`
    select s.network_id, 'share ' || s.id || ' of ' || dollars(s.amount_cents) || ', ' || s.status
      || ': ' || coalesce(l.payments, 0) || ' payment entries of ' || dollars(coalesce(l.paid, 0))
      || ', ' || coalesce(l.reversals, 0) || ' reversals of ' || dollars(coalesce(l.reversed, 0)) as offence
    from payment_allocations s
    left join (
      select network_id, allocation_id, min(debit_id) as debit_id, max(debit_id) as other_debit_id,
        count(*) filter (where cause = 'payment') as payments,
        coalesce(sum(amount_cents) filter (where cause = 'payment'), 0)::bigint as paid,
        count(*) filter (where cause = 'reversal') as reversals,
        coalesce(sum(amount_cents) filter (where cause = 'reversal'), 0)::bigint as reversed
      from entries where allocation_id is not null group by network_id, allocation_id
    ) as l on l.network_id = s.network_id and l.allocation_id = s.id
    where coalesce(l.paid - l.reversed, 0) <> case s.status when 'approved' then s.amount_cents - s.taken_back_cents else 0 end
      or (s.check_number is not null and (coalesce(l.paid, 0) <> coalesce(l.payments, 0) * s.amount_cents
        or coalesce(l.payments, 0) > 1))
      or (coalesce(l.payments, 0) > 0) <> (s.status not in ('pending', 'denied'))
      or l.debit_id <> s.debit_id or l.other_debit_id <> s.debit_id
    union all
    select s.network_id, 'share ' || s.id || ' of ' || dollars(s.amount_cents) || ', ' || s.status
      || ': its last reversal says "' || l.note || '"'
    from payment_allocations s
    join (
      select distinct on (network_id, allocation_id) network_id, allocation_id, note
      from entries where cause = 'reversal' order by network_id, allocation_id, id desc
    ) as l on l.network_id = s.network_id and l.allocation_id = s.id
    where s.status in ('refunded', 'returned', 'failed', 'charged_back') and l.note <> replace(s.status, '_', ' ')`,
};

const adjustments: LedgerCheck = {
  name: "adjustments",
  rule: "Every adjustment in Activity has an entry on its debit, with that amount",
  offenders: sql`
    select a.network_id, 'adjustment ' || (a.after ->> 'adjustmentId') || ' of debit ' || a.record_id || ' from '
      || (a.before ->> 'balance') || ' to ' || (a.after ->> 'balance') || ': '
      || coalesce('its entry is ' || dollars(e.owed_cents), 'it has no entry') as offence
    from audit_entries a
    left join entries e on e.network_id = a.network_id and e.id = (a.after ->> 'adjustmentId')::bigint
      and e.debit_id = a.record_id and e.cause = 'adjustment'
    where a.record_type = 'debit' and a.action in ('increased balance', 'decreased balance')
      and e.owed_cents is distinct from
        100 * ((a.after ->> 'balance')::numeric - (a.before ->> 'balance')::numeric)`,
};

const billingRuns: LedgerCheck = {
  name: "billing runs",
  rule: "A billing run records the number and the sum of the debits it created",
  offenders: sql`
    select r.network_id, 'billing run ' || r.id || ' says ' || r.debits || ' debits of '
      || dollars(r.amount_cents) || ', there are ' || coalesce(d.debits, 0) || ' of '
      || dollars(coalesce(d.total, 0)) as offence
    from billing_runs r
    left join (
      select network_id, billing_run_id, count(*) as debits, sum(amount_cents)::bigint as total
      from debits where billing_run_id is not null group by network_id, billing_run_id
    ) as d on d.network_id = r.network_id and d.billing_run_id = r.id
    where (r.debits, r.amount_cents) is distinct from (coalesce(d.debits, 0), coalesce(d.total, 0))`,
};

/** The checks by `verify-ledger` of debits and payments; those of cards are in card-ledger-checks.ts. */
export const ledgerChecks: LedgerCheck[] = [
  balances,
  reservations,
  periods,
  schedule,
  payments,
  owners,
  shares,
  adjustments,
  billingRuns,
];
