import { sql } from "kysely";
import type { z } from "zod";
import type { PlainDate } from "#domain/calendar.ts";
import type { Admin } from "#domain/actor.ts";
import { notifyOnCommit } from "#db/changes.ts";
import type { Db } from "#db/database.ts";
import { debitName, debitNames } from "#db/debit-names.ts";
import { jsonQuery, jsonQueryOrThrow, type RawJson } from "#db/json-query.ts";
import { prepared } from "#db/prepared-statements.ts";
import { asSorted, orderBy } from "#db/sort.ts";
import { notFound } from "#contract/refusal.ts";
import { refuseUnknownAttorney } from "#features/attorneys/known-attorney.ts";
import { refuseUnknownFirm } from "#features/attorneys/known-firm.ts";
import { checkStatuses, type listChecks } from "#features/checks/contract.ts";
import { isListedCheck } from "#features/lists/checks.ts";

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

type Wanted = z.output<typeof listChecks.query>;

/**
 * The network's checks, newest first: one page with the total, and what waits for a decision in the whole
 * network. A check is an attorney's who pays it or for whom it pays. Throws 404 for an unknown attorney or firm.
 */
export async function listReceivedChecks(
  tx: Db,
  admin: Admin,
  wanted: Wanted,
  today: PlainDate,
): Promise<RawJson> {
  if (wanted.attorney_id) await refuseUnknownAttorney(tx, admin, wanted.attorney_id);
  if (wanted.firm_id) await refuseUnknownFirm(tx, admin, wanted.firm_id);
  const { page, per_page } = wanted;
  const context = { ...admin, today: today.toString() };
  const which = isListedCheck(context, wanted);
  const order = orderBy(wanted.sort, orders, { usual: sql`k.id desc`, tie: sql`k.id` });
  return await jsonQueryOrThrow(
    tx,
    sql<{ body: string }>`
      select json_build_object(
        'items', (select coalesce(json_agg(${checkJson} order by c.at), '[]') from (
          select k.*, row_number() over (order by ${order}) as at from received_checks k ${joinsOf(wanted)} where ${which}
          order by ${order} limit ${per_page} offset ${(page - 1) * per_page}) as c),
        'total', every.total, 'totals', json_build_object('amount', dollars(every.amount), 'parts', every.parts),
        'page', ${page}::integer, 'perPage', ${per_page}::integer,
        'pending', (select json_build_object('count', count(*), 'amount', dollars(coalesce(sum(amount_cents), 0)::bigint))
          from received_checks where network_id = ${admin.networkId} and status = 'pending'))::text as body
      from (
        select coalesce(sum(count), 0) as total, coalesce(sum(cents), 0)::bigint as amount,
          coalesce(json_agg(json_build_object('status', status, 'amount', dollars(cents))
            order by array_position(${[...checkStatuses]}::text[], status)), '[]') as parts
        from (
          select k.status, count(*), sum(k.amount_cents)::bigint as cents from received_checks k where ${which}
          group by k.status) as by_status) as every`,
  );
}

const orders = {
  number: sql`lpad(lower(k.check_number), 32, ' ')`, // 98 before 102
  payer: [sql`coalesce(f.name, a.last_name)`, sql`a.first_name`].map(asSorted),
  received: sql`k.received_on`,
  amount: sql`k.amount_cents`,
  status: sql`k.status`,
};

/** What the order needs to know of who pays. */
const joinsOf = ({ sort }: Wanted) =>
  sort?.endsWith("payer")
    ? sql`left join firms f on f.network_id = k.network_id and f.id = k.firm_id
      left join attorneys a on a.network_id = k.network_id and a.id = k.attorney_id`
    : sql``;

const maxHints = 10;

/** Hint at a change of attorneys' checks once it is committed: one by one, or of many as a whole. */
export function notifyOfAttorneys(tx: Db, networkId: number, attorneyIds: number[]): void {
  const all = new Set(attorneyIds);
  for (const attorneyId of all.size > maxHints ? [null] : all)
    notifyOnCommit(tx, networkId, attorneyId);
}
