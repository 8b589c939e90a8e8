import { sql } from "kysely";
import type { z } from "zod";
import { centsFromDollars, cleanAmount } from "#domain/money.ts";
import { containsText, matchesSearch } from "#db/text-search.ts";
import { allOf, type ListContext, type Sql, withinDays } from "#list/list-context.ts";
import type { listPayments } from "#features/payments/contract.ts";

type Wanted = Omit<z.output<typeof listPayments.query>, "page" | "per_page" | "sort">;

/**
 * What has become of a payment (alias `y`; `k` its check, outer joined) by the statuses of its shares: those of
 * a card are decided together, those of a check one by one: pending while any is. Its credit is received with the
 * check unless all of that is denied: then it counts as an approved share, and alone has what became of the check.
 */
export const paymentStatus = (statuses: Sql) => sql`case
  when y.method = 'online' then case ${statuses}[1]
    when 'pending' then 'processing' when 'approved' then 'paid' when 'denied' then 'declined'
    else ${statuses}[1] end
  when ${statuses} is null then case k.status when 'mixed' then 'approved' else k.status end
  when 'pending' = any(${statuses}) then 'pending'
  when 'approved' = any(${statuses}) or y.credit_cents > 0 and k.status in ('approved', 'mixed') then 'approved'
  when y.credit_cents > 0 and k.status in ('pending', 'returned') then k.status
  when 'refunded' = any(${statuses}) then 'refunded'
  when 'returned' = any(${statuses}) then 'returned'
  else 'denied' end`;

/**
 * All payments of a network (alias `y`), or those of an attorney or a search, with their status as `shares.status`, and
 * with the denied part, in cents, of those that were not denied whole as `shares.denied`, and what was approved already
 * of those that are pending as `shares.approved`.
 */
export const withStatus = (
  networkId: number,
  { attorney_id, search }: Pick<Wanted, "attorney_id"> & Partial<Pick<Wanted, "search">> = {},
) => sql`
  left join received_checks k on k.network_id = y.network_id and k.id = y.received_check_id
  left join (
    select payment_id, array_agg(status) as statuses, sum(amount_cents) filter (where status = 'denied') as denied,
      sum(amount_cents) filter (where status = 'approved') as approved
    from payment_allocations where ${allOf([
      sql`network_id = ${networkId}`,
      attorney_id && sql`attorney_id = ${attorney_id}`,
      search && sql`payment_id in (${foundBySearch(networkId, search)})`,
    ])} group by payment_id
  ) as together on together.payment_id = y.id
  cross join lateral (select ${paymentStatus(sql`together.statuses`)} as status) as became
  cross join lateral (select became.status, case when became.status in ('denied', 'declined') then 0
      else coalesce(together.denied, 0) end::bigint as denied,
    case when became.status = 'pending' then coalesce(together.approved, 0) else 0 end::bigint as approved) as shares`;

/**
 * Whether a payment (alias `y`) is one of the list; where a status is asked for, joined with `withStatus`. Declined
 * cards are no payments: they are listed when they are asked for.
 */
export function isListedPayment(context: ListContext, wanted: Wanted): Sql {
  const { networkId } = context;
  const { method, status, search, attorney_id } = wanted;
  return allOf([
    sql`y.network_id = ${networkId}`,
    method && sql`y.method = ${method}`,
    status ? hasStatus(status) : isNotDeclined(networkId),
    attorney_id && sql`y.attorney_id = ${attorney_id}`,
    ...withinDays(sql`y.created_at`, wanted, context),
    search && sql`y.id in (${foundBySearch(networkId, search)})`,
  ]);
}

function hasStatus(status: NonNullable<Wanted["status"]>): Sql {
  if (status === "received")
    return sql`(shares.status in ('paid', 'approved') or shares.approved > 0)`;
  if (status === "partly_denied") return sql`shares.denied > 0`;
  return sql`shares.status = ${status}`;
}

/** Those that were declined are few, and found by their index. */
export const isNotDeclined = (networkId: number) => sql`y.id not in (
  select c.payment_id from card_payments c where c.network_id = ${networkId} and c.state = 'declined')`;

/**
 * The payments that a search finds: by a part of the check's number, by the amount, by the card's last digits, the
 * processor's transaction or our reference, or by every word in the attorney's name, email or phone.
 */
function foundBySearch(networkId: number, search: string): Sql {
  const amount = centsFromDollars(cleanAmount(search));
  const number = containsText(sql`lower(p.check_number)`, search.toLowerCase());
  return sql`
    select p.id from payments p
    where p.network_id = ${networkId} and (${number} or p.amount_cents = ${amount}::bigint)
    union select c.payment_id from card_payments c
    where c.network_id = ${networkId}
      and (c.card_last_four = ${search} or c.transaction_id = ${search} or c.reference = ${search.toUpperCase()})
    union select p.id from payments p
    where p.network_id = ${networkId} and p.attorney_id in (
      select a.id from attorneys a
      where a.network_id = ${networkId} and ${matchesSearch(sql`a.search_text`, search)})`;
}
