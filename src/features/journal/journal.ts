import { type RawBuilder, sql } from "kysely";
import { debitNames } from "#db/debit-names.ts";
import { defaultAccountNames } from "#features/journal/account-names.ts";

/** What an account's key (an SQL text) is called in a network (alias `n`). */
export const accountName = (key: RawBuilder<unknown>): RawBuilder<string> => sql`coalesce(
  n.account_names ->> ${key}, (${JSON.stringify(defaultAccountNames)}::jsonb) ->> ${key})`;

/** The keys of `defaultAccountNames` by the kinds of accounts that entries name, where they differ. */
const keysOfKinds = {
  receivable: "accounts_receivable",
  credit: "attorneys_credit",
  undeposited: "undeposited_checks",
  clearing: "card_clearing",
};

/** An account as entries name it (an SQL text) as the key of its name; its plan, bank or processor is `detailOf` it. */
const keyOf = (account: RawBuilder<unknown>) => sql`(
  select coalesce((${JSON.stringify(keysOfKinds)}::jsonb) ->> kind, kind) from split_part(${account}, ':', 1) as kind)`;

const detailOf = (account: RawBuilder<unknown>) =>
  sql`substr(${account}, nullif(strpos(${account}, ':'), 0) + 1)`;

/** A charge's name never changes, a plan's may: the debit says what it was when it was charged. */
const nameWhenCharged = sql`coalesce(charge.name, ${detailOf(sql`d.income_account`)})`;

/**
 * Every entry of all networks as two lines that come to zero: `network_id`, `day`, `id` and `entry` (the same in both
 * lines), `account` (a key of `defaultAccountNames`), `detail` (plan, bank or processor), `amount_cents` (positive is a
 * debit), `attorney_id`, `reference`, `memo`. A line once read never changes: all is fixed when the entry is written.
 * The lines name columns of entries, not the other way round: whoever needs fewer of them, such as a count, joins fewer
 * tables. Source: domain rules §10, docs/decisions/103.
 */
export const journalLines = sql`
  select l.network_id, l.day, l.id, l.id::text as entry, ${keyOf(sql`line.account`)} as account,
    ${detailOf(sql`line.account`)} as detail, line.amount_cents, l.attorney_id,
    case when l.deposit_id is not null and l.received_check_id is null then 'Deposit ' || t.number
      when l.allocation_id is not null then coalesce(s.check_number, c.transaction_id)
      when l.debit_id is not null then 'Debit ' || l.debit_id
      else coalesce(k.check_number, l.reference) end as reference,
    case when l.debit_id is null then l.note
      else concat_ws(': ', ${nameWhenCharged}, case when l.credit_id is null then nullif(l.note, '') end) end as memo
  from entries l
  cross join lateral (
    values (l.to_account, l.amount_cents), (l.from_account, -l.amount_cents)
  ) as line (account, amount_cents)
  left join debits d on d.network_id = l.network_id and d.id = l.debit_id ${debitNames}
  left join payment_allocations s on s.network_id = l.network_id and s.id = l.allocation_id
  left join card_payments c on c.network_id = s.network_id and c.payment_id = s.payment_id
  left join received_checks k on k.network_id = l.network_id and k.id = l.received_check_id
  left join deposits t on t.network_id = l.network_id and t.id = l.deposit_id`;
