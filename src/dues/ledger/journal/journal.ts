import { type RawBuilder, sql } from "kysely";
import { debitNames } from "#kit/db/debit-names.ts";
import { processorLabels } from "#kit/domain/processors.ts";
import { defaultAccountNames, keysOfKinds } from "#kit/domain/account-names.ts";

type Sql = RawBuilder<unknown>;

/** The name's key of an account as stored in entries (an SQL text). `detailOf` gives its plan, bank or processor. */
export const keyOf = (account: Sql): Sql => sql`(
  select coalesce((${JSON.stringify(keysOfKinds)}::jsonb) ->> kind, kind) from split_part(${account}, ':', 1) as kind)`;

export const detailOf = (account: Sql): Sql =>
  sql`substr(${account}, nullif(strpos(${account}, ':'), 0) + 1)`;

/**
 * An account's name for people, such as "Bank: Operating", by its key and detail (SQL texts) in a network (alias
 * `n`). Processors have their usual names. `written` formats the name, which the network may have chosen.
 */
export const accountLabel = (key: Sql, detail: Sql, written = (name: Sql) => name): Sql => sql`
  concat_ws(': ', ${written(sql`coalesce(n.account_names ->> ${key}, (${JSON.stringify(defaultAccountNames)}::jsonb) ->> ${key})`)},
    case when ${key} = 'card_clearing'
      then coalesce((${JSON.stringify(processorLabels)}::jsonb) ->> split_part(${detail}, ' ', 1)
        || substr(${detail}, length(split_part(${detail}, ' ', 1)) + 1), ${detail})
      else ${detail} end)`;

/** A charge's name never changes. A plan's may, so the debit's income account stores it. */
const nameWhenCharged = sql`coalesce(charge.name, ${detailOf(sql`d.income_account`)})`;

/**
 * Every entry of all networks: `network_id`, `id`, `day`, `created_at`, `from_account`, `to_account`, `amount_cents`,
 * `attorney_id`, `reference`, `memo`, `kind`. An entry never changes once written. With outer joins on unique
 * keys, a query that needs fewer columns, such as a count, joins fewer tables. Source: domain rules §10,
 * docs/decisions/103.
 */
export const journalEntries = sql`
  select l.network_id, l.id, l.day, l.created_at, l.from_account, l.to_account, l.amount_cents, l.attorney_id,
    case when l.deposit_id is not null and l.received_check_id is null then 'Deposit ' || t.number
      when l.allocation_id is not null then coalesce(s.check_number, c.transaction_id)
      when l.debit_id is not null then 'Debit ' || l.debit_id
      else coalesce(k.check_number, l.reference) end as reference,
    case when l.debit_id is null then l.note
      else concat_ws(': ', ${nameWhenCharged}, case when l.credit_id is null then nullif(l.note, '') end) end as memo,
    case when l.cause = 'reversal' and l.note in ('refunded', 'failed', 'charged back', 'returned') then l.note
      else replace(l.cause, '_', ' ') end as kind
  from entries l
  left join debits d on d.network_id = l.network_id and d.id = l.debit_id ${debitNames}
  left join payment_allocations s on s.network_id = l.network_id and s.id = l.allocation_id
  left join card_payments c on c.network_id = s.network_id and c.payment_id = s.payment_id
  left join received_checks k on k.network_id = l.network_id and k.id = l.received_check_id
  left join deposits t on t.network_id = l.network_id and t.id = l.deposit_id`;

/**
 * Each entry as two lines that add up to zero: the entry's columns with `entry` (the same in both), `account` (a
 * key of `defaultAccountNames`), `detail` (plan, bank or processor) and `amount_cents` (positive is a debit).
 */
export const journalLines = sql`
  select e.network_id, e.id, e.day, e.from_account, e.to_account, e.attorney_id, e.reference, e.memo, e.kind,
    e.id::text as entry, ${keyOf(sql`line.account`)} as account, ${detailOf(sql`line.account`)} as detail,
    line.amount_cents
  from (${journalEntries}) as e
  cross join lateral (
    values (e.to_account, e.amount_cents), (e.from_account, -e.amount_cents)
  ) as line (account, amount_cents)`;
