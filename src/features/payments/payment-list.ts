import { type RawBuilder, sql } from "kysely";
import type { z } from "zod";
import type { PlainDate } from "#domain/calendar.ts";
import type { Admin } from "#domain/actor.ts";
import type { Db } from "#db/database.ts";
import { jsonQueryOrThrow, type RawJson } from "#db/json-query.ts";
import { orderBy, personOrder } from "#db/sort.ts";
import { refuseUnknownAttorney } from "#features/attorneys/known-attorney.ts";
import { isListedPayment, withStatus } from "#features/lists/payments.ts";
import { type listPayments, paymentSums } from "#features/payments/contract.ts";
import { cardJson } from "#features/payments/receipts.ts";

type Wanted = z.output<typeof listPayments.query>;

/** The network's payments, newest first: one page, with the totals of all. Throws 404 for an unknown attorney. */
export async function listAllPayments(
  tx: Db,
  admin: Admin,
  wanted: Wanted,
  today: PlainDate,
): Promise<RawJson> {
  if (wanted.attorney_id) await refuseUnknownAttorney(tx, admin, wanted.attorney_id);
  const { page, per_page, sort } = wanted;
  const context = { ...admin, today: today.toString() };
  const order = orderBy(sort, orders, { usual: sql`y.id desc`, tie: sql`y.id` });
  return await jsonQueryOrThrow(
    tx,
    sql<{ body: string }>`
      with found as materialized (
        select y.network_id, y.id, y.attorney_id, y.method, y.check_number, y.amount_cents, y.credit_cents, y.created_at,
          shares.status, y.received_check_id, shares.denied, shares.approved
        from payments y ${withStatus(admin.networkId, wanted)} where ${isListedPayment(context, wanted)}
      ), shown as materialized (
        select y.*, row_number() over (order by ${order}) as at from found y ${joinsOf(wanted)}
        order by ${order} limit ${per_page} offset ${(page - 1) * per_page}
      )
      select json_build_object('total', count(*), 'page', ${page}::int, 'perPage', ${per_page}::int,
        'totals', json_build_object('amount', dollars(coalesce(sum(amount_cents), 0)::bigint), 'parts', ${partsOf(sql`found`)}),
        'items', (
          select coalesce(json_agg(json_build_object('id', y.id, 'attorneyId', a.id,
            'attorneyName', a.first_name || ' ' || a.last_name, 'method', y.method,
            'checkNumber', y.check_number, 'checkId', y.received_check_id, 'card', ${cardJson},
            'status', y.status, 'amount', dollars(y.amount_cents), 'denied', dollars(y.denied), 'createdAt', iso(y.created_at))
            order by y.at), '[]')
          from shown y
          join attorneys a on a.network_id = y.network_id and a.id = y.attorney_id
          left join card_payments c on c.network_id = y.network_id and c.payment_id = y.id))::text as body
      from found`,
  );
}

/** What became of the money of all payments in a relation: its sums, as `paymentSums` names and orders them. */
const partsOf = (payments: RawBuilder<unknown>) => sql`(
  select coalesce(json_agg(json_build_object('status', part, 'amount', dollars(cents))
    order by array_position(${[...paymentSums]}::text[], part)), '[]')
  from (
    select part, sum(cents)::bigint as cents from (
      select case when status in ('paid', 'approved') then 'received' else status end, amount_cents - denied - approved from ${payments}
      union all select 'received', approved from ${payments} where approved > 0
      union all select 'partly_denied', denied from ${payments} where denied > 0) as each_part (part, cents)
    group by part) as sums
  where cents > 0)`;

const orders = {
  attorney: personOrder("a"),
  /** Checks by their numbers, 98 before 102, then cards. */
  method: sql`lpad(lower(y.check_number), 32, ' ')`,
  amount: sql`y.amount_cents`,
  status: sql`y.status`,
  date: sql`y.created_at`,
};

/** What the order needs to know of attorneys. */
const joinsOf = ({ sort }: Wanted): RawBuilder<unknown> =>
  sort?.endsWith("attorney")
    ? sql`join attorneys a on a.network_id = y.network_id and a.id = y.attorney_id`
    : sql``;
