import { sql } from "kysely";
import type { LedgerCheck } from "#dues/ledger/ledger-checks.ts";

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

/** The checks by `verify-ledger` of entries against checks, deposits, cards and days. Source: book rule 10. */
export const entryLedgerChecks: LedgerCheck[] = [
  cash,
  held,
  accounts,
  days,
  returns,
  deposits,
  receivables,
];
