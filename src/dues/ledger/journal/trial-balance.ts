import { type RawBuilder, sql } from "kysely";
import type { Day } from "#kit/domain/day.ts";
import { type JsonSql, listJson, shapeJson } from "#kit/db/shape-json.ts";
import { AccountTotals } from "#dues/ledger/journal/contract.ts";
import { accountLabel, detailOf, keyOf } from "#dues/ledger/journal/journal.ts";

interface Period {
  from?: Day | undefined;
  to?: Day | undefined;
}

/**
 * The totals of a network's accounts in a period, both days included: `account` as stored in entries,
 * `before_cents` (debits less credits before the period), `debit_cents` and `credit_cents`. One row per
 * account with an entry by the end of the period.
 *
 * Starts from the sums of the last closing before the period and reads only later entries: adding up a
 * million took half a second. Source: domain rules §10.
 */
export function accountTotals(networkId: number, { from, to }: Period): RawBuilder<unknown> {
  const first = sql`${from ?? "-infinity"}::date`;
  const last = sql`greatest(${to ?? "infinity"}::date, ${first} - 1)`;
  const isKept = from === undefined ? sql`c.through <= ${last}` : sql`c.through < ${first}`;
  const [debits, credits] = [sql`(kept.sums ->> 0)::bigint`, sql`(kept.sums ->> 1)::bigint`];
  return sql`
    with closing as materialized (
      select c.through, c.balances from book_closings c
      where c.network_id = ${networkId} and c.action = 'close' and ${isKept}
        and not exists (select from book_closings r where r.network_id = c.network_id and r.id > c.id
          and r.action = 'reopen' and coalesce(r.through, '-infinity') < c.through)
      order by c.through desc, c.id desc limit 1
    ), moved as (
      select from_account, to_account, coalesce(sum(amount_cents) filter (where day < ${first}), 0) as earlier_cents,
        coalesce(sum(amount_cents) filter (where day >= ${first}), 0) as cents
      from entries
      where network_id = ${networkId} and day > coalesce((select through from closing), '-infinity') and day <= ${last}
      group by from_account, to_account
    ), lines as (
      select line.* from moved cross join lateral (
        values (to_account, earlier_cents, cents, 0), (from_account, -earlier_cents, 0, cents)
      ) as line (account, before_cents, debit_cents, credit_cents)
      union all
      select kept.account, ${from === undefined ? sql`0, ${debits}, ${credits}` : sql`${debits} - ${credits}, 0, 0`}
      from closing cross join jsonb_each(balances) as kept (account, sums)
    )
    select account, sum(before_cents)::bigint as before_cents, sum(debit_cents)::bigint as debit_cents,
      sum(credit_cents)::bigint as credit_cents
    from lines group by account`;
}

/** Balance sheet accounts, then income. */
const kinds = [
  "receivable",
  "undeposited",
  "bank",
  "clearing",
  "credit",
  "held",
  "dues_income",
  "other_income",
  "fee_income",
  "adjustments",
];

/** The trial balance of a period as JSON. */
export function trialBalance(networkId: number, period: Period): JsonSql<AccountTotals[]> {
  const account = sql`t.account`;
  return listJson(
    shapeJson(AccountTotals, {
      account,
      name: accountLabel(keyOf(account), detailOf(account)),
      before: sql`t.before_cents`,
      debits: sql`t.debit_cents`,
      credits: sql`t.credit_cents`,
      after: sql`t.before_cents + t.debit_cents - t.credit_cents`,
    }),
    {
      from: sql`(${accountTotals(networkId, period)}) as t join networks n on n.id = ${networkId}`,
      order: sql`array_position(${kinds}::text[], split_part(t.account, ':', 1)), t.account`,
    },
  );
}
