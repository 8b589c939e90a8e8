import { sql } from "kysely";
import type { Actor } from "#domain/actor.ts";
import type { Db } from "#db/database.ts";
import { debitDescription, debitName, debitNames, debitNote } from "#db/debit-names.ts";
import { jsonQueryOrThrow, type RawJson } from "#db/json-query.ts";
import { prepared } from "#db/prepared-statements.ts";
import { refuseUnknownAttorney } from "#features/attorneys/known-attorney.ts";

/** A debit (alias `d`) with its names as the contract's JSON. */
export const debitJson = sql`json_build_object(
  'id', d.id, 'attorneyId', d.attorney_id, 'name', ${debitName}, 'note', ${debitNote},
  'description', ${debitDescription}, 'amount', dollars(d.amount_cents),
  'balance', dollars(d.balance_cents), 'dueDate', d.due_on, 'createdAt', iso(d.created_at),
  'pending', dollars(d.pending_cents),
  'pendingPayments', case when d.pending_cents = 0 then '[]'::json else (
    select coalesce(json_agg(json_build_object('id', s.id, 'checkNumber', s.check_number,
      'quantity', dollars(s.amount_cents), 'createdAt', iso(s.created_at)) order by s.id), '[]')
    from payment_allocations s
    where s.network_id = d.network_id and s.debit_id = d.id and s.status = 'pending'
      and s.check_number is not null) end,
  'adjustments', (
    select coalesce(json_agg(json_build_object('id', l.id, 'createdAt', iso(l.created_at),
      'quantity', dollars(-l.amount_cents), 'note', l.note) order by l.id), '[]')
    from ledger_entries l
    where l.network_id = d.network_id and l.debit_id = d.id and l.kind = 'adjustment'),
  'paidFromCredit', (
    select dollars(coalesce(-sum(x.amount_cents), 0)::bigint) from credit_entries x
    where x.network_id = d.network_id and x.debit_id = d.id))`;

/** Debits joined with what their JSON needs. */
export const namedDebits = sql`debits d ${debitNames}`;

/** An attorney's debits with a balance above zero, oldest due first; 404 for another's attorney. */
export async function listOutstandingDebits(
  tx: Db,
  actor: Actor,
  attorneyId: number,
): Promise<RawJson> {
  await refuseUnknownAttorney(tx, actor, attorneyId);
  return await jsonQueryOrThrow(
    tx,
    sql<{ body: string }>`${prepared}
      select coalesce(json_agg(${debitJson} order by d.due_on, d.id), '[]')::text as body
      from ${namedDebits}
      where d.network_id = ${actor.networkId} and d.attorney_id = ${attorneyId} and d.balance_cents > 0`,
  );
}

/** Debits by their ids, oldest due first. */
export async function showDebits(tx: Db, networkId: number, ids: number[]): Promise<RawJson> {
  return await jsonQueryOrThrow(
    tx,
    sql<{ body: string }>`
      select coalesce(json_agg(${debitJson} order by d.due_on, d.id), '[]')::text as body
      from ${namedDebits}
      where d.network_id = ${networkId} and d.id = any(${ids}::bigint[])`,
  );
}

/** One debit. */
export async function showDebit(tx: Db, networkId: number, id: number): Promise<RawJson> {
  return await jsonQueryOrThrow(
    tx,
    sql<{ body: string }>`select ${debitJson}::text as body from ${namedDebits}
      where d.network_id = ${networkId} and d.id = ${id}`,
  );
}
