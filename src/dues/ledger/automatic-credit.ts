import { type RawBuilder, sql } from "kysely";
import { type Cents, zero } from "#kit/domain/money.ts";
import type { Db } from "#kit/db/database.ts";
import { networkDay } from "#kit/db/network-day.ts";
import { disableNestedLoops } from "#kit/db/planner-settings.ts";

/** Debits just created in this transaction, and whether there is credit to pay them from. */
export interface NewDebits {
  networkId: number;
  debits: number;
  /** The range of their ids. It may include debits of other transactions. */
  firstDebitId: number | null;
  lastDebitId: number | null;
  hasCreditToApply: boolean;
  createdBy?: number | null | undefined;
}

/**
 * Whether a network pays new debits from credit and any of its attorneys has some left. Ordered as the
 * index is, so one row is read whatever the planner's statistics say.
 */
export const hasCreditToApply = (networkId: number): RawBuilder<boolean> => sql<boolean>`(
  select n.applies_credit_automatically and (
    select c.id from credits c where c.network_id = n.id and c.left_cents > 0
    order by c.attorney_id, c.id limit 1) is not null
  from networks n where n.id = ${networkId})`;

/**
 * The credit that would pay each attorney's new debits: `attorney_id` and `cents`. No rows if the
 * network does not apply credit automatically.
 */
export const creditForNewDebits = (
  networkId: number,
  attorneyIds: number[],
): RawBuilder<{ attorneyId: number; cents: Cents }> => sql`
  select c.attorney_id, sum(c.left_cents)::bigint as cents from credits c
  join networks n on n.id = c.network_id and n.applies_credit_automatically
  where c.network_id = ${networkId} and c.left_cents > 0
    and c.attorney_id = any(${attorneyIds}::bigint[])
  group by c.attorney_id`;

/** From this many debits on, credit is looked up for all of them together. */
const minBulkDebits = 1_000;

/**
 * Pay the debits just created in this transaction from their attorneys' credit, in one statement: oldest
 * credit first, oldest due debit first. Returns the cents applied. Source: domain rules §10.
 */
export async function applyCreditToNewDebits(tx: Db, made: NewDebits): Promise<Cents> {
  if (made.debits === 0 || !made.hasCreditToApply) return zero;
  if (made.debits >= minBulkDebits) await disableNestedLoops(tx);
  const { rows } = await sql<{ amountCents: Cents }>`
    with fresh as materialized (
      select d.id, d.attorney_id, d.due_on, d.balance_cents from debits d
      where d.network_id = ${made.networkId}
        and d.id between ${made.firstDebitId}::bigint and ${made.lastDebitId}::bigint
        and d.xmin = pg_current_xact_id()::xid -- created by this transaction
        and d.balance_cents = d.amount_cents
    ), locked as materialized (
      select c.id, c.attorney_id, c.left_cents from credits c
      where c.network_id = ${made.networkId} and c.left_cents > 0
        and c.attorney_id in (select attorney_id from fresh)
      order by c.id for update of c
    ), receipts as (
      select id, attorney_id, up_to - left_cents as from_cents, up_to from (
        select *, sum(left_cents) over (partition by attorney_id order by id) as up_to from locked
      ) as added_up
    ), owed as (
      select id, attorney_id, up_to - balance_cents as from_cents, up_to from (
        select *, sum(balance_cents) over (partition by attorney_id order by due_on, id) as up_to
        from fresh where attorney_id in (select attorney_id from locked)
      ) as added_up
    ), applied as (
      -- A receipt pays the part of a debit where the two running sums overlap.
      insert into entries (network_id, cause, from_account, to_account, amount_cents, day, attorney_id, credit_id,
        debit_id, note, actor_user_id)
      select ${made.networkId}, 'credit_applied', 'receivable', 'credit',
        least(r.up_to, o.up_to) - greatest(r.from_cents, o.from_cents),
        ${networkDay(made.networkId)}, r.attorney_id, r.id, o.id, 'automatically',
        ${made.createdBy ?? null}::bigint
      from receipts r
      join owed o on o.attorney_id = r.attorney_id
        and o.from_cents < r.up_to and r.from_cents < o.up_to
      order by o.id, r.id
      returning amount_cents
    )
    select coalesce(sum(amount_cents), 0)::bigint as amount_cents from applied`.execute(tx);
  return rows[0]?.amountCents ?? zero;
}
