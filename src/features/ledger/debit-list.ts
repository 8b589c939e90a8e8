import { type RawBuilder, sql } from "kysely";
import type { z } from "zod";
import type { Admin } from "#domain/actor.ts";
import type { PlainDate } from "#domain/calendar.ts";
import { notFound } from "#contract/refusal.ts";
import type { Db } from "#db/database.ts";
import { debitName, debitNames } from "#db/debit-names.ts";
import { jsonQueryOrThrow, type RawJson } from "#db/json-query.ts";
import { asSorted, orderBy, personOrder } from "#db/sort.ts";
import { refuseUnknownAttorney } from "#features/attorneys/known-attorney.ts";
import type { listDebits } from "#features/ledger/contract.ts";
import { debitJson } from "#features/ledger/debits.ts";
import { isListedDebit } from "#features/lists/debits.ts";

type Wanted = z.output<typeof listDebits.query>;

/**
 * One page of a network's debits, of one attorney, of a firm's attorneys or of a plan where that is
 * asked. Throws 404 for an attorney, a firm or a plan of another network.
 */
export async function listDebitsOfNetwork(
  tx: Db,
  admin: Admin,
  wanted: Wanted,
  today: PlainDate,
): Promise<RawJson> {
  const { page, per_page } = wanted;
  if (wanted.attorney_id) await refuseUnknownAttorney(tx, admin, wanted.attorney_id);
  if (wanted.firm_id) await refuseUnknown(tx, admin, "firms", wanted.firm_id);
  if (wanted.plan_id) await refuseUnknown(tx, admin, "plans", wanted.plan_id);
  const context = { ...admin, today: today.toString() };
  const order = orderBy(wanted.sort, orders, {
    usual: wanted.state === "paid" ? sql`d.due_on desc, d.id desc` : sql`d.due_on, d.id`,
    tie: sql`d.id`,
  });
  return await jsonQueryOrThrow(
    tx,
    sql<{ body: string }>`
      with found as materialized (
        select d.id, d.attorney_id, d.enrolment_id, d.charge_id, d.network_id, d.due_on,
          d.amount_cents, d.balance_cents, d.pending_cents
        from debits d where ${isListedDebit(context, wanted)}
      ), shown as materialized (
        select d.id, row_number() over (order by ${order}) as at from found d ${joinsOf(wanted)}
        order by ${order} limit ${per_page} offset ${(page - 1) * per_page}
      )
      select json_build_object('total', count(*), 'page', ${page}::int, 'perPage', ${per_page}::int,
        'totals', json_build_object('amount', dollars(coalesce(sum(amount_cents), 0)::bigint),
          'balance', dollars(coalesce(sum(balance_cents), 0)::bigint),
          'pending', dollars(coalesce(sum(pending_cents), 0)::bigint)),
        'items', (
          select coalesce(json_agg(to_jsonb(${debitJson}) || jsonb_build_object(
              'attorneyName', a.first_name || ' ' || a.last_name) order by shown.at), '[]')
          from shown join debits d on d.network_id = ${admin.networkId} and d.id = shown.id ${debitNames}
          join attorneys a on a.network_id = d.network_id and a.id = d.attorney_id))::text as body
      from found`,
  );
}

const orders = {
  attorney: personOrder("a"),
  name: asSorted(debitName),
  due: sql`d.due_on`,
  amount: sql`d.amount_cents`,
  balance: sql`d.balance_cents`,
  pending: sql`d.pending_cents`,
};

/** What the order needs to know of other tables. */
function joinsOf({ sort }: Wanted): RawBuilder<unknown> {
  if (sort?.endsWith("attorney"))
    return sql`join attorneys a on a.network_id = d.network_id and a.id = d.attorney_id`;
  return sort?.endsWith("name") ? debitNames : sql``;
}

async function refuseUnknown(
  tx: Db,
  { networkId }: Admin,
  table: "firms" | "plans",
  id: number,
): Promise<void> {
  const known = await tx
    .selectFrom(table)
    .select("id")
    .where("networkId", "=", networkId)
    .where("id", "=", id)
    .executeTakeFirst();
  if (!known) throw notFound(table === "firms" ? "firm" : "plan");
}
