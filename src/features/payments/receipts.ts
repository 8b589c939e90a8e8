import { sql } from "kysely";
import type { Actor } from "#domain/actor.ts";
import type { Db } from "#db/database.ts";
import { debitDescription, debitName, debitNames, debitNote } from "#db/debit-names.ts";
import { jsonQuery, type RawJson } from "#db/json-query.ts";
import { prepared } from "#db/prepared-statements.ts";
import { notFound } from "#contract/refusal.ts";
import { paymentStatus } from "#features/payments/payment-status.ts";
import { brandJson } from "#features/networks/brand.ts";

/** Shares (alias `s`) joined with what their debits are called. */
export const namedShares = sql`payment_allocations s
  join debits d on d.network_id = s.network_id and d.id = s.debit_id ${debitNames}`;

/** The brand and last digits of a card (alias `c`) as the contract's JSON; null where none is known. */
export const cardJson = sql`case when coalesce(c.card_brand || c.card_last_four, '') = '' then null
  else json_build_object('brand', c.card_brand, 'lastFour', c.card_last_four) end`;

/** What a receipt says of a payment, by card or by check. Throws 404 for another's payment. */
export async function showReceiptOf(tx: Db, actor: Actor, paymentId: number): Promise<RawJson> {
  const isOwn = actor.role === "attorney" ? sql`and y.attorney_id = ${actor.attorneyId}` : sql``;
  const found = await jsonQuery(
    tx,
    sql`${prepared}select json_build_object(
      'paymentId', y.id, 'networkName', n.name, 'brand', ${brandJson}, 'attorneyName', a.first_name || ' ' || a.last_name,
      'attorneyAddress', array_remove(array[a.address_line_1, a.address_line_2,
        trim(both ', ' from concat_ws(', ', nullif(a.address_city, ''),
          trim(a.address_region || ' ' || a.address_zip)))], ''),
      'firm', (select f.name from firms f where f.network_id = k.network_id and f.id = k.firm_id),
      'method', y.method, 'status', ${paymentStatus(sql`shares.statuses`)}, 'amount', dollars(y.amount_cents),
      'credit', dollars(y.credit_cents), 'returnedOn', case when ${paymentStatus(sql`shares.statuses`)} = 'returned' then k.returned_on end,
      'createdAt', iso(y.created_at), 'settledAt', iso(coalesce(c.settled_at,
        case when k.status = 'returned' or shares.statuses is null then k.decided_at else shares.decided_at end)),
      'refundedAt', iso(c.refunded_at), 'failedAt', iso(c.failed_at), 'reference', c.reference, 'transactionId', c.transaction_id,
      'card', ${cardJson}, 'checkNumber', y.check_number, 'shares', shares.listed)::text as body
    from payments y
    join networks n on n.id = y.network_id
    join attorneys a on a.network_id = y.network_id and a.id = y.attorney_id
    left join card_payments c on c.network_id = y.network_id and c.payment_id = y.id
    left join received_checks k on k.network_id = y.network_id and k.id = y.received_check_id
    cross join lateral (
      select coalesce(json_agg(json_build_object('debitId', d.id, 'name', ${debitName},
          'description', ${debitDescription}, 'note', ${debitNote}, 'dueDate', d.due_on,
          'amount', dollars(s.amount_cents), 'status', s.status) order by s.id), '[]') as listed,
        max(s.decided_at) as decided_at,
        array_agg(s.status) as statuses
      from ${namedShares}
      where s.network_id = y.network_id and s.payment_id = y.id
    ) as shares
    where y.network_id = ${actor.networkId} and y.id = ${paymentId} ${isOwn}`,
  );
  if (!found) throw notFound("payment");
  return found;
}
