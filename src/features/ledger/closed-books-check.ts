import { sql } from "kysely";
import type { LedgerCheck } from "#features/ledger/ledger-checks.ts";

/**
 * Of each network's last closing that was not reopened: all closed days are before it, and what it kept began with what
 * the closings before it had kept. Source: domain rules §10.
 */
export const closedBooksCheck: LedgerCheck = {
  name: "closed books",
  rule: "The entries of closed days come to what each account had come to when they were closed",
  offenders: sql`
    with last as (
      select distinct on (b.network_id) b.network_id, b.through, b.balances
      from book_closings b
      where b.action = 'close' and not exists (
        select from book_closings r where r.network_id = b.network_id and r.id > b.id and r.action = 'reopen'
          and coalesce(r.through, '-infinity') < b.through)
      order by b.network_id, b.through desc, b.id desc
    ), kept as (
      select last.network_id, one.account, (one.sums ->> 0)::bigint as debits, (one.sums ->> 1)::bigint as credits
      from last cross join jsonb_each(last.balances) as one (account, sums)
    ), told as (
      select e.network_id, line.account, sum(line.debits)::bigint as debits, sum(line.credits)::bigint as credits
      from last
      join entries e on e.network_id = last.network_id and e.day <= last.through
      cross join lateral (
        values (e.to_account, e.amount_cents, 0), (e.from_account, 0, e.amount_cents)
      ) as line (account, debits, credits)
      group by e.network_id, line.account
    )
    select last.network_id, coalesce(kept.account, told.account) || ' through ' || last.through || ': debits '
      || dollars(coalesce(told.debits, 0)) || ' and credits ' || dollars(coalesce(told.credits, 0))
      || ' by the entries, ' || dollars(coalesce(kept.debits, 0)) || ' and ' || dollars(coalesce(kept.credits, 0))
      || ' when it was closed' as offence
    from kept
    full join told on told.network_id = kept.network_id and told.account = kept.account
    join last on last.network_id = coalesce(kept.network_id, told.network_id)
    where (coalesce(kept.debits, 0), coalesce(kept.credits, 0))
      <> (coalesce(told.debits, 0), coalesce(told.credits, 0))`,
};
