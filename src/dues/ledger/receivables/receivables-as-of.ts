import { type RawBuilder, sql } from "kysely";
import type { Day } from "#kit/domain/day.ts";

/**
 * Each attorney's debt and credit at the end of a network's day, by days overdue then. One row per attorney who
 * owed anything or had credit: `attorney_id`, `current_cents`, `to_30_cents`, `to_60_cents`, `to_90_cents`,
 * `over_90_cents`, `total_cents`, `credit_cents`.
 *
 * Subtracts the entries after the day from today's balances and credits, which triggers keep and
 * `verify-ledger` proves. Adding up all entries before the day took six times as long for the end of last
 * month. Measured: docs/decisions/053. Source: domain rules §10.
 */
export function receivablesAsOf(network: Network, day: Day) {
  return sql`
    select attorney_id, ${sums} from ${amountsAsOf(network, day)}
    group by attorney_id
    having sum(amount_cents) <> 0 or sum(credit_cents) <> 0`;
}

/** The same sums over all attorneys, in one row. */
export function totalReceivablesAsOf(network: Network, day: Day) {
  return sql`select ${sums} from ${amountsAsOf(network, day)}`;
}

interface Network {
  id: number;
  timeZone: string;
}

const owed = (condition: RawBuilder<unknown>) =>
  sql`coalesce(sum(amount_cents) filter (where ${condition}), 0)::bigint`;

const sums = sql`${owed(sql`days <= 0`)} as current_cents, ${owed(sql`days between 1 and 30`)} as to_30_cents,
  ${owed(sql`days between 31 and 60`)} as to_60_cents, ${owed(sql`days between 61 and 90`)} as to_90_cents,
  ${owed(sql`days > 90`)} as over_90_cents, ${owed(sql`true`)} as total_cents,
  coalesce(sum(credit_cents), 0)::bigint as credit_cents`;

/** The amounts to add up: the balance of each debit and each attorney's credit, less later entries. */
function amountsAsOf(network: Network, day: Day) {
  return sql`(
      select attorney_id, ${day}::date - due_on as days, balance_cents as amount_cents, null::bigint as credit_cents
      from debits where network_id = ${network.id} and balance_cents > 0
      union all
      select d.attorney_id, ${day}::date - d.due_on, -l.owed_cents, null
      from entries l
      join debits d on d.network_id = l.network_id and d.id = l.debit_id
      where l.network_id = ${network.id} and l.day > ${day}::date
        -- All causes, listed so that the index by cause and day is used.
        and l.cause in ('charge', 'adjustment', 'payment', 'reversal', 'credit_applied', 'credit_taken_off')
      union all
      select attorney_id, null, null, left_cents from credits where network_id = ${network.id} and left_cents > 0
      union all
      select attorney_id, null, null, -credit_cents from entries
      where network_id = ${network.id} and day > ${day}::date
        and cause in ('credit_received', 'credit_applied', 'credit_taken_off', 'credit_given_back', 'credit_reversed')
    ) as kept`;
}

/** The amounts of a row of `receivablesAsOf` (alias `r`), in cents, by the names of the call. */
export const amounts = {
  current: sql`r.current_cents`,
  days30: sql`r.to_30_cents`,
  days60: sql`r.to_60_cents`,
  days90: sql`r.to_90_cents`,
  over90: sql`r.over_90_cents`,
  total: sql`r.total_cents`,
  credit: sql`r.credit_cents`,
};
