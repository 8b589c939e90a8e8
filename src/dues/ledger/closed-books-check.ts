import { sql } from "kysely";
import type { LedgerCheck } from "#dues/ledger/ledger-checks.ts";

/**
 * Compares the balances stored by each closing that was not reopened with the entries: later trial balances
 * start from them. A fault is reported at the first closing it changes. Source: domain rules §10.
 */
export const closedBooksCheck: LedgerCheck = {
  name: "closed books",
  rule: "The entries of closed days still add up to the account totals stored when the books were closed, and every closing and reopening in Activity is recorded",
  offenders: sql`
    with closings as materialized (
      select b.network_id, b.through, b.balances
      from book_closings b
      where b.action = 'close' and not exists (
        select from book_closings r where r.network_id = b.network_id and r.id > b.id and r.action = 'reopen'
          and coalesce(r.through, '-infinity') < b.through)
    ), moved as materialized (
      select e.network_id, line.account, e.day, sum(line.debits)::bigint as debits, sum(line.credits)::bigint as credits
      from (select network_id, max(through) as through from closings group by network_id) as last
      join entries e on e.network_id = last.network_id and e.day <= last.through
      cross join lateral (
        values (e.to_account, e.amount_cents, 0), (e.from_account, 0, e.amount_cents)
      ) as line (account, debits, credits)
      group by e.network_id, line.account, e.day
    ), kept as (
      select c.network_id, one.account, c.through, coalesce((c.balances -> one.account ->> 0)::bigint, 0) as debits,
        coalesce((c.balances -> one.account ->> 1)::bigint, 0) as credits
      from closings c
      join (
        select network_id, account from moved
        union select network_id, jsonb_object_keys(balances) from closings
      ) as one on one.network_id = c.network_id
    ), told as (
      select network_id, account, through, kept_debits, kept_credits,
        (sum(debits) over until_then)::bigint as debits, (sum(credits) over until_then)::bigint as credits
      from (
        select network_id, account, day, null::date as through, 0 as kept_debits, 0 as kept_credits, debits, credits
        from moved
        union all select network_id, account, through, through, debits, credits, 0, 0 from kept
      ) as days
      window until_then as (partition by network_id, account order by day)
    ), compared as (
      select *, lag(array[debits - kept_debits, credits - kept_credits], 1, array[0, 0]::bigint[]) over (
        partition by network_id, account order by through) as before
      from told where through is not null
    )
    select network_id, account || ' through ' || through || ': debits ' || dollars(debits) || ' and credits '
      || dollars(credits) || ' by the entries, ' || dollars(kept_debits) || ' and ' || dollars(kept_credits)
      || ' when it was closed' as offence
    from compared
    where (debits, credits) <> (kept_debits, kept_credits)
      and array[debits - kept_debits, credits - kept_credits] <> before
    union all
    select a.network_id, a.action || ' through ' || coalesce(a.after ->> 'closedThrough', 'no day')
      || ', according to Activity, is not recorded'
    from audit_entries a
    where a.record_type = 'books' and not exists (
      select from book_closings b
      where b.network_id = a.network_id and b.through is not distinct from (a.after ->> 'closedThrough')::date
        and b.action = case a.action when 'closed the books' then 'close' else 'reopen' end)`,
};
