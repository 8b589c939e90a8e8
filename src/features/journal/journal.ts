import { type RawBuilder, sql } from "kysely";
import { debitName, debitNames } from "#db/debit-names.ts";
import { defaultAccountNames } from "#features/journal/account-names.ts";

/** What an account's key (an SQL text) is called in a network (alias `n`). */
export const accountName = (key: RawBuilder<unknown>): RawBuilder<string> => sql`coalesce(
  n.account_names ->> ${key}, (${JSON.stringify(defaultAccountNames)}::jsonb) ->> ${key})`;

/** The deposit in which the check (alias `k`) stands. */
const ofDeposit = sql`left join deposits t on t.network_id = k.network_id and t.id = k.deposit_id`;

/** Each entry of the debits' ledger moves receivables; the other account is where that comes from. */
const ledgerEvents = sql`
  select l.network_id, l.created_at as at, 'L' as source, l.id, 'accounts_receivable' as account,
    null::text as detail, case
      when l.kind = 'charge' then case when p.id is null then 'other_income' else 'dues_income' end
      when l.kind = 'adjustment' then 'adjustments'
      when l.kind = 'credit' then 'attorneys_credit'
      when s.check_number is null then 'card_clearing'
      when l.kind = 'reversal' and t.id is not null then 'bank'
      else 'undeposited_checks' end as other_account,
    case
      when l.kind = 'charge' then p.name
      when l.kind in ('payment', 'reversal') and s.check_number is null then c.processor
      when l.kind = 'reversal' then t.account_name end as other_detail,
    l.amount_cents, d.attorney_id,
    case when l.kind in ('payment', 'reversal') then coalesce(s.check_number, c.transaction_id)
      else 'Debit ' || l.debit_id end as reference,
    concat_ws(': ', ${debitName}, nullif(l.note, '')) as memo
  from ledger_entries l
  left join debits d on d.network_id = l.network_id and d.id = l.debit_id ${debitNames}
  left join payment_allocations s on s.network_id = l.network_id and s.id = l.allocation_id
  left join payments y on y.network_id = s.network_id and y.id = s.payment_id
  left join card_payments c on c.network_id = s.network_id and c.payment_id = s.payment_id
  left join received_checks k on k.network_id = y.network_id and k.id = y.received_check_id
  ${ofDeposit}`;

/** Credit received, given back, and taken back with its check; what was applied stands in the debits' ledger. */
const creditEvents = sql`
  select q.network_id, q.created_at, 'C', q.id, 'attorneys_credit', null, case
      when q.kind = 'given_back' or (q.kind = 'reversed' and t.id is not null) then 'bank'
      else 'undeposited_checks' end,
    case q.kind
      when 'given_back' then (
        select last.account_name from deposits last
        where last.network_id = q.network_id and last.created_at <= q.created_at
        order by last.id desc limit 1)
      when 'reversed' then t.account_name end,
    -q.amount_cents, q.attorney_id, k.check_number, q.cause
  from credit_entries q
  left join credits r on r.network_id = q.network_id and r.id = q.credit_id
  left join payments y on y.network_id = r.network_id and y.id = r.payment_id
  left join received_checks k on k.network_id = y.network_id and k.id = y.received_check_id
  ${ofDeposit}
  where q.debit_id is null`;

const depositEvents = sql`
  select t.network_id, t.banked_at, 'B', t.id, 'bank', t.account_name, 'undeposited_checks', null,
    brought.amount_cents, null, 'Deposit ' || t.number, brought.checks || case brought.checks when 1 then ' check' else ' checks' end
  from deposits t
  cross join lateral (
    select sum(k.amount_cents)::bigint as amount_cents, count(*) as checks from received_checks k
    where k.network_id = t.network_id and k.deposit_id = t.id
  ) as brought
  where t.banked_at is not null and brought.checks > 0`;

/**
 * What a returned check takes from the bank besides what its shares and its credit put back: the part that
 * was denied, where the whole check was deposited; and credit that had been given back, for which its
 * attorney is charged, which is no income.
 */
const returnEvents = sql`
  select k.network_id, k.returned_at, parts.source, k.id, parts.account, null,
    case when t.id is null then 'undeposited_checks' else 'bank' end, t.account_name, parts.amount_cents,
    k.attorney_id, k.check_number, parts.memo
  from received_checks k
  ${ofDeposit}
  cross join lateral (
    select 'N' as source, 'undeposited_checks' as account, sum(s.amount_cents)::bigint as amount_cents,
      'Denied part of a returned check' as memo
    from payments y
    join payment_allocations s on s.network_id = y.network_id and s.payment_id = y.id and s.status = 'denied'
    where y.network_id = k.network_id and y.received_check_id = k.id and t.id is not null
    union all
    select 'G', 'other_income', -sum(q.amount_cents)::bigint, 'Credit of a returned check that was given back'
    from payments y
    join credits r on r.network_id = y.network_id and r.payment_id = y.id
    join credit_entries q on q.network_id = r.network_id and q.credit_id = r.id and q.kind = 'given_back'
    where y.network_id = k.network_id and y.received_check_id = k.id
  ) as parts
  where k.status = 'returned' and parts.amount_cents > 0`;

/** Card money for which nothing was owed, until it was given back: neither receivable nor credit. */
const unappliedEvents = sql`
  select u.network_id, events.at, events.source, u.id, 'card_clearing', u.processor, 'card_clearing',
    u.processor || ' (unapplied)', events.amount_cents, u.attorney_id, u.transaction_id, 'Unapplied charge'
  from unapplied_payments u
  cross join lateral (
    values ('U', u.created_at, u.amount_cents), ('V', u.resolved_at, -u.amount_cents)
  ) as events (source, at, amount_cents)
  where events.at is not null`;

/**
 * Every money event of all networks as two lines that come to zero, read from the tables alone: `network_id`, `at`
 * (when it was recorded), `source` and `id` (of the row that it is read from), `entry` (the two together, the same in
 * both lines), `account` (a key of `defaultAccountNames`), `detail` (plan, bank or processor), `amount_cents` (positive
 * is a debit), `attorney_id`, `reference`, `memo`. The lines name columns of events, not the other way round: whoever
 * needs fewer of them, such as a count, joins fewer tables.
 */
export const journalLines = sql`
  select events.network_id, events.at, events.source, events.id, events.source || events.id as entry,
    case line.sign when 1 then events.account else events.other_account end as account,
    case line.sign when 1 then events.detail else events.other_detail end as detail,
    line.sign * events.amount_cents as amount_cents, events.attorney_id, events.reference, events.memo
  from (
    ${ledgerEvents} union all ${creditEvents} union all ${depositEvents} union all ${returnEvents}
    union all ${unappliedEvents}
  ) as events
  cross join (values (1), (-1)) as line (sign)`;
