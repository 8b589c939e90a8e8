import { sql } from "kysely";
import type { Admin } from "#domain/actor.ts";
import { notifyOnCommit } from "#db/changes.ts";
import type { Db } from "#db/database.ts";
import { debitName, debitNames } from "#db/debit-names.ts";
import { jsonQuery, jsonQueryOrThrow, type RawJson } from "#db/json-query.ts";
import { prepared } from "#db/prepared-statements.ts";
import { notFound } from "#contract/refusal.ts";

/** A received check (alias `c`) as the contract's JSON. */
export const checkJson = sql`json_build_object(
  'id', c.id, 'checkNumber', c.check_number, 'amount', dollars(c.amount_cents), 'receivedOn', c.received_on,
  'payer', case when c.firm_id is null
    then (select json_build_object('kind', 'attorney', 'id', a.id, 'name', a.first_name || ' ' || a.last_name)
      from attorneys a where a.network_id = c.network_id and a.id = c.attorney_id)
    else (select json_build_object('kind', 'firm', 'id', f.id, 'name', f.name)
      from firms f where f.network_id = c.network_id and f.id = c.firm_id) end,
  'status', c.status, 'note', c.note,
  'shares', (
    select coalesce(json_agg(json_build_object('paymentId', y.id, 'shareId', s.id, 'debitId', d.id,
      'debitName', ${debitName}, 'dueDate', d.due_on, 'attorneyId', a.id,
      'attorneyName', a.first_name || ' ' || a.last_name, 'amount', dollars(s.amount_cents),
      'status', s.status) order by y.id, d.due_on, d.id), '[]')
    from payments y
    join payment_allocations s on s.network_id = y.network_id and s.payment_id = y.id
    join attorneys a on a.network_id = y.network_id and a.id = y.attorney_id
    join debits d on d.network_id = s.network_id and d.id = s.debit_id ${debitNames}
    where y.network_id = c.network_id and y.received_check_id = c.id),
  'credits', (
    select coalesce(json_agg(json_build_object('attorneyId', a.id,
      'attorneyName', a.first_name || ' ' || a.last_name, 'amount', dollars(y.credit_cents)) order by y.id), '[]')
    from payments y
    join attorneys a on a.network_id = y.network_id and a.id = y.attorney_id
    where y.network_id = c.network_id and y.received_check_id = c.id and y.credit_cents > 0),
  'depositId', c.deposit_id, 'depositNumber', (
    select number from deposits where network_id = c.network_id and id = c.deposit_id),
  'createdAt', iso(c.created_at), 'decidedAt', iso(c.decided_at),
  'returnedOn', c.returned_on, 'returnNote', c.return_note)`;

/** One check that is known to be there. By one id: the connection keeps the plan of that. */
export async function showCheck(tx: Db, networkId: number, id: number): Promise<RawJson> {
  return await jsonQueryOrThrow(tx, checkQuery(networkId, id));
}

const checkQuery = (networkId: number, id: number) => sql<{ body: string }>`${prepared}
  select (${checkJson})::text as body from received_checks c
  where c.network_id = ${networkId} and c.id = ${id}`;

/** Checks by their ids, newest first. */
export async function showChecks(tx: Db, networkId: number, ids: number[]): Promise<RawJson> {
  return await jsonQueryOrThrow(
    tx,
    sql<{ body: string }>`
      select coalesce(json_agg(${checkJson} order by c.id desc), '[]')::text as body
      from received_checks c where c.network_id = ${networkId} and c.id = any(${ids}::bigint[])`,
  );
}

/** One check. Throws 404. */
export async function showCheckOf(tx: Db, admin: Admin, id: number): Promise<RawJson> {
  const found = await jsonQuery(tx, checkQuery(admin.networkId, id));
  if (!found) throw notFound("check");
  return found;
}

const maxHints = 10;

/** Hint at a change of attorneys' checks once it is committed: one by one, or of many as a whole. */
export function notifyOfAttorneys(tx: Db, networkId: number, attorneyIds: number[]): void {
  const all = new Set(attorneyIds);
  for (const attorneyId of all.size > maxHints ? [null] : all)
    notifyOnCommit(tx, networkId, attorneyId);
}
