import { type RawBuilder, sql } from "kysely";
import type { z } from "zod";
import type { PlainDate } from "#domain/calendar.ts";
import type { Admin } from "#domain/actor.ts";
import type { Db } from "#db/database.ts";
import { jsonQueryOrThrow, type RawJson } from "#db/json-query.ts";
import { orderBy } from "#db/sort.ts";
import { refuseUnknownAttorney } from "#features/attorneys/known-attorney.ts";
import { isListedPayment, withStatus, withStatusOfAll } from "#features/lists/payments.ts";
import type { listPayments } from "#features/payments/contract.ts";
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
  const needsStatus = wanted.status !== undefined || sort?.endsWith("status");
  const order = orderBy(sort, orders, { usual: sql`y.id desc`, tie: sql`y.id` });
  return await jsonQueryOrThrow(
    tx,
    sql<{ body: string }>`
      with found as materialized (
        select y.network_id, y.id, y.attorney_id, y.method, y.check_number, y.amount_cents, y.credit_cents, y.created_at,
          y.received_check_id, ${needsStatus ? sql`shares.status` : sql`null`} as status
        from payments y ${needsStatus ? withStatusOfAll(admin.networkId) : sql``} where ${isListedPayment(context, wanted)}
      ), shown as materialized (
        select y.*, row_number() over (order by ${order}) as at from found y ${joinsOf(wanted)}
        order by ${order} limit ${per_page} offset ${(page - 1) * per_page}
      )
      select json_build_object('total', count(*), 'page', ${page}::int, 'perPage', ${per_page}::int,
        'totals', json_build_object('amount', dollars(coalesce(sum(amount_cents), 0)::bigint)),
        'items', (
          select coalesce(json_agg(json_build_object('id', y.id, 'attorneyId', a.id,
            'attorneyName', a.first_name || ' ' || a.last_name, 'method', y.method,
            'checkNumber', y.check_number, 'checkId', y.received_check_id, 'card', ${cardJson},
            'status', shares.status, 'amount', dollars(y.amount_cents), 'createdAt', iso(y.created_at))
            order by y.at), '[]')
          from shown y ${withStatus}
          join attorneys a on a.network_id = y.network_id and a.id = y.attorney_id
          left join card_payments c on c.network_id = y.network_id and c.payment_id = y.id))::text as body
      from found`,
  );
}

const orders = {
  attorney: sql`lower(a.last_name || ' ' || a.first_name)`,
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
