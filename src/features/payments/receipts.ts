import { sql } from "kysely";
import type { Actor } from "#domain/actor.ts";
import type { Db } from "#db/database.ts";
import { debitDescription, debitName, debitNames, debitNote } from "#db/debit-names.ts";
import { jsonQuery, type RawJson } from "#db/json-query.ts";
import { prepared } from "#db/prepared-statements.ts";
import { notFound } from "#contract/refusal.ts";

/** Shares (alias `s`) joined with what their debits are called. */
export const namedShares = sql`payment_allocations s
  join debits d on d.network_id = s.network_id and d.id = s.debit_id ${debitNames}`;

/** The brand and last digits of a card (alias `c`) as the contract's JSON; null where none is known. */
export const cardJson = sql`case when coalesce(c.card_brand || c.card_last_four, '') = '' then null
  else json_build_object('brand', c.card_brand, 'lastFour', c.card_last_four) end`;

/** What a receipt says of a payment, by card or by check. Throws 404 for another's payment. */
export async function showReceiptOf(tx: Db, actor: Actor, paymentId: number): Promise<RawJson> {
  const isOwn = actor.role === "attorney" ? sql`and p.attorney_id = ${actor.attorneyId}` : sql``;
  const found = await jsonQuery(
    tx,
    sql`${prepared}select json_build_object(
      'paymentId', p.id, 'networkName', n.name, 'attorneyName', a.first_name || ' ' || a.last_name,
      'attorneyAddress', array_remove(array[a.address_line_1, a.address_line_2,
        trim(both ', ' from concat_ws(', ', nullif(a.address_city, ''),
          trim(a.address_region || ' ' || a.address_zip)))], ''),
      'method', p.method, 'status', ${receiptStatus}, 'amount', dollars(p.amount_cents),
      'createdAt', iso(p.created_at), 'settledAt', iso(coalesce(c.settled_at, shares.decided_at)),
      'refundedAt', iso(c.refunded_at), 'failedAt', iso(c.failed_at), 'reference', c.reference, 'transactionId', c.transaction_id,
      'card', ${cardJson}, 'checkNumber', p.check_number, 'shares', shares.listed)::text as body
    from payments p
    join networks n on n.id = p.network_id
    join attorneys a on a.network_id = p.network_id and a.id = p.attorney_id
    left join card_payments c on c.network_id = p.network_id and c.payment_id = p.id
    cross join lateral (
      select json_agg(json_build_object('debitId', d.id, 'name', ${debitName},
          'description', ${debitDescription}, 'note', ${debitNote}, 'dueDate', d.due_on,
          'amount', dollars(s.amount_cents), 'status', s.status) order by s.id) as listed,
        max(s.decided_at) as decided_at,
        array_agg(s.status) as statuses
      from ${namedShares}
      where s.network_id = p.network_id and s.payment_id = p.id
    ) as shares
    where p.network_id = ${actor.networkId} and p.id = ${paymentId} ${isOwn}`,
  );
  if (!found) throw notFound("payment");
  return found;
}

/** The shares of a card are decided together, those of a check one by one: pending while any is. */
const receiptStatus = sql`case
  when p.method = 'online' then case shares.statuses[1]
    when 'pending' then 'processing' when 'approved' then 'paid' when 'denied' then 'declined'
    else shares.statuses[1] end
  when 'pending' = any(shares.statuses) then 'pending'
  when 'approved' = any(shares.statuses) then 'approved'
  when 'refunded' = any(shares.statuses) then 'refunded'
  else 'denied' end`;
